"""Tell the stops of an organ apart by the spectrum of a single note."""

import csv
import json
import logging
import time
import uuid
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from evaluation import BackgroundEvaluator
from network import stop_classifier
from tones import STOPS, record

HERE = Path(__file__).resolve().parent
EPOCHS = 5
EVALUATE_EVERY = 15

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("organ")


def main():
    torch.manual_seed(88)
    torch.set_num_threads(1)
    run_name = f"stops-{uuid.uuid4().hex[:8]}"
    log.info("run %s", run_name)

    train = TensorDataset(*record(960, seed=1))
    evaluator = BackgroundEvaluator(*record(500, seed=2))
    loader = DataLoader(train, batch_size=32, shuffle=True)

    model = stop_classifier(len(STOPS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=EPOCHS * len(loader))

    step = 0
    began = time.perf_counter()
    for epoch in range(EPOCHS):
        running = 0.0
        for features, labels in loader:
            features = features + 0.1 * torch.randn_like(features)
            loss = F.cross_entropy(model(features), labels, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            running += loss.item()
            step += 1
            if step % EVALUATE_EVERY == 0:
                evaluator.submit(step, model)
        print(f"epoch {epoch}  train loss {running / len(loader):.4f}")

    rows = evaluator.results()
    log.info("%d steps in %.2f s", step, time.perf_counter() - began)

    torch.save(model.state_dict(), HERE / "stops.pt")
    with open(HERE / "validation.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=["step", "loss", "accuracy"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    summary = {
        "run": run_name,
        "best_step": max(rows, key=lambda row: row["accuracy"])["step"],
        "final_accuracy": rows[-1]["accuracy"],
        "evaluation_seconds": round(sum(row["seconds"] for row in rows), 3),
    }
    (HERE / "summary.json").write_text(json.dumps(summary, indent=2))
    for row in rows:
        print(f"step {row['step']:4d}  loss {row['loss']:.4f}  accuracy {row['accuracy']:.3f}")


if __name__ == "__main__":
    main()
