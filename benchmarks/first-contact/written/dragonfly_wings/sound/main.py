import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader

from collection import SPECIES, render_collection
from wingset import WingImages, split_folds
from veinnet import VeinNet, confusion, run_epoch

SEED = 2024
EPOCHS = 12


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)

    scratch = Path(tempfile.mkdtemp(prefix="wings-"))
    try:
        render_collection(scratch, per_species=150, rng=rng)
        files = sorted(scratch.rglob("*.png"))
        train_files, held_out = split_folds(files, folds=5)
        print(f"{len(files)} wings: {len(train_files)} to train on, {len(held_out)} held out")

        train = DataLoader(WingImages(train_files), batch_size=32, shuffle=True)
        test = DataLoader(WingImages(held_out), batch_size=64)
        model = VeinNet(len(SPECIES))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)

        curve = []
        for epoch in range(EPOCHS):
            loss, right = run_epoch(model, train, optimizer)
            curve.append(loss)
            print(f"[{epoch}] loss {loss:.5f} accuracy {right:.4f}")
        loss, right = run_epoch(model, test)
        table = confusion(model, test, len(SPECIES))
    finally:
        shutil.rmtree(scratch)

    print(f"held out: loss {loss:.5f} accuracy {right:.4f}")
    for name, row in zip(SPECIES, table.tolist()):
        print(f"{name:12s}", *(f"{n:4d}" for n in row))
    Path("wings.json").write_text(json.dumps({"curve": curve, "loss": loss, "confusion": table.tolist()}))
    torch.save(model.state_dict(), "veinnet.pt")


if __name__ == "__main__":
    main()
