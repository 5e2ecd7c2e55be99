"""Learns what two looks at the same shell have in common, then counts chambers with a linear probe."""
import json
import logging
import time
import uuid
from pathlib import Path

import torch

from loading import slide_loader
from shells import shell
from twins import Encoder, redundancy_loss

log = logging.getLogger("foram")


@torch.no_grad()
def probe(model, count):
    model.eval()
    drawn = [shell(50_000 + i) for i in range(count)]
    x = torch.stack([image for image, _ in drawn])[:, None]
    y = torch.tensor([chambers for _, chambers in drawn], dtype=torch.float64)
    f = model.body(x).double()
    f = torch.cat([(f - f.mean(0)) / (f.std(0) + 1e-6), torch.ones(count, 1, dtype=torch.float64)], dim=1)
    half = count // 2
    gram = f[:half].T @ f[:half] + 5.0 * torch.eye(f.shape[1], dtype=torch.float64)
    weights = torch.linalg.solve(gram, f[:half].T @ y[:half])
    return (f[half:] @ weights - y[half:]).abs().mean().item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(1)
    torch.manual_seed(17)
    run = Path("runs") / uuid.uuid4().hex[:10]
    run.mkdir(parents=True)
    model = Encoder(features=32, projected=48)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    loader = slide_loader(count=352, batch_size=16, seed=170, workers=2)
    losses, waited = [], 0.0
    for epoch in range(3):
        model.train()
        mark, total = time.perf_counter(), 0.0
        for views in loader:
            waited += time.perf_counter() - mark
            loss = redundancy_loss(model(views[:, 0]), model(views[:, 1]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            mark = time.perf_counter()
        losses.append(total / len(loader))
        log.info("epoch %d  loss %.4f  (waited %.2f s for slides so far)", epoch, losses[-1], waited)
    error = probe(model, 120)
    log.info("probe: %.2f chambers off", error)
    torch.save(model.state_dict(), run / "encoder.pt")
    (run / "metrics.json").write_text(json.dumps({"losses": losses, "probe": error}))


if __name__ == "__main__":
    main()
