"""Recommends board games from exported plays."""
import json
import tempfile
import time
from datetime import datetime
from pathlib import Path

import torch
from torch.nn import functional as F

from plays import month_of_plays
from recommender import Shelf
from shards import export, read

PLAYERS, GAMES, MONTHS = 500, 240, 12
SEED, EPOCHS, BATCH = 31, 6, 256


def main() -> None:
    start = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory(prefix="shelf-") as folder:
        export(Path(folder), MONTHS, PLAYERS, GAMES, SEED)
        who, what = map(torch.from_numpy, read(Path(folder)))
    print(f"{len(who)} plays read in {time.perf_counter() - start:.2f} s")

    test = [torch.from_numpy(a) for a in month_of_plays(MONTHS, PLAYERS, GAMES, SEED)]
    model = Shelf(PLAYERS, GAMES)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    shuffle = torch.Generator().manual_seed(SEED)
    negatives = torch.Generator().manual_seed(SEED + 1)
    log = []
    for epoch in range(EPOCHS):
        total = 0.0
        for rows in torch.randperm(len(who), generator=shuffle).split(BATCH):
            other = torch.randint(GAMES, (len(rows),), generator=negatives)
            margin = model(who[rows], what[rows]) - model(who[rows], other)
            loss = -F.logsigmoid(margin).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        log.append({"epoch": epoch, "loss": total / len(who), "hits@10": model.hits(*test, 10)})
        print(f"epoch {epoch}  loss {log[-1]['loss']:.4f}  hits@10 {log[-1]['hits@10']:.4f}", flush=True)

    out = Path(__file__).resolve().parent / "result"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "shelf.pt")
    report = {"finished": datetime.now().isoformat(timespec="seconds"),
              "seconds": round(time.perf_counter() - start, 2), "log": log}
    (out / "report.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
