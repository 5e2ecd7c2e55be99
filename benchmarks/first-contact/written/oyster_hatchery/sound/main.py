"""Will the larvae settle? Trains on tank logs and tests the average of the three best checkpoints."""
import json
import logging
import time
from datetime import date
from pathlib import Path

import torch

import tanks
from settle import Settle, score, train_epoch
from shelf import Shelf, average

SEED = 2024
COUNT, HOURS = 3000, 72
EPOCHS, BATCH = 9, 32
OUT = Path("out")


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(threadName)s] %(message)s")
    (OUT / "checkpoints").mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    train, valid, test = tanks.three_parts(tanks.simulate(COUNT, HOURS, SEED), SEED)
    print(f"hatchery log of {date.today()}: {len(train)} / {len(valid)} / {len(test)} tanks")

    model = Settle(len(tanks.PROBES), HOURS)
    print(f"{sum(p.numel() for p in model.parameters()):,} weights")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.02)
    shuffle = torch.Generator().manual_seed(SEED)
    shelf = Shelf(OUT / "checkpoints")
    history = []
    for epoch in range(EPOCHS):
        tick = time.perf_counter()
        loss = train_epoch(model, train, optimizer, BATCH, shuffle)
        valid_loss, valid_right = score(model, valid)
        mark = "*" if shelf.offer(model, epoch, valid_loss) else " "
        rate = len(train) / (time.perf_counter() - tick)
        history.append({"epoch": epoch, "loss": loss, "valid_loss": valid_loss, "rate": rate})
        print(f"{mark} epoch {epoch}  train {loss:.5f}  valid {valid_loss:.5f} ({valid_right:.1%})  {rate:.0f} tanks/s")

    best = shelf.close()
    print("averaging", ", ".join(path.stem for path in best))
    model.load_state_dict(average(best))
    test_loss, test_right = score(model, test)
    print(f"test: loss {test_loss:.6f}, right {test_right:.2%}")
    torch.save(model.state_dict(), OUT / "settle.pt")
    result = {"test_loss": test_loss, "test_right": test_right, "history": history}
    result["seconds"] = round(time.perf_counter() - began, 2)
    (OUT / "result.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
