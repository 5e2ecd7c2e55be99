"""Which spare part does a repair order need?  Two towers, trained against parts of the same family."""
import json
import shutil
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import torch

from catalogue import Catalogue
from fitting import evaluate, fit
from towers import Towers

SEED = 1207
OUT = Path(__file__).resolve().parent / "out"


def main():
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    OUT.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="parts-"))
    try:
        catalogue = Catalogue(scratch / "catalogue.db", SEED)
        catalogue.fill()
        train, test = catalogue.split(test=400)
        model = Towers(catalogue.part_vectors())
        history = fit(model, catalogue, train, epochs=9)
        scores = evaluate(model, catalogue, test)
        catalogue.close()
    finally:
        shutil.rmtree(scratch)

    torch.save(model.state_dict(), OUT / "towers.pt")
    (OUT / "scores.json").write_text(json.dumps({"history": history, **scores}, indent=1))
    with open(OUT / "log.txt", "a") as log:
        print(datetime.now().isoformat(timespec="seconds"), sys.version.split()[0], scores, file=log)
    print(f"hit@5 {scores['hit@5']:.4f}  mrr {scores['mrr']:.4f}  ({time.perf_counter() - began:.1f} s)")


if __name__ == "__main__":
    main()
