"""Which device does a cryptic clue hide? Synchronous training with a crew of processes."""
import json
import time
from pathlib import Path

import torch

from clues import make_clues
from net import ClueNet
from workers import Crew

SEED, STEPS, BATCH, PARTS = 8, 70, 96, 6


def main():
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    ids, labels = make_clues(2400, SEED)
    net = ClueNet().share_memory()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    crew = Crew(2, SEED, net, ids[:2000], labels[:2000])
    order = torch.Generator().manual_seed(SEED)
    curve = []
    for step in range(1, STEPS + 1):
        rows = torch.randperm(2000, generator=order)[:BATCH]
        loss, grads = crew.gradients(rows.chunk(PARTS))
        for parameter, grad in zip(net.parameters(), grads):
            parameter.grad = torch.from_numpy(grad) / BATCH
        optimizer.step()
        if step % 10 == 0:
            curve.append(loss / BATCH)
            print(f"[{time.perf_counter() - began:4.1f} s] step {step} loss {curve[-1]:.4f}", flush=True)
    crew.close()
    net.eval()
    with torch.no_grad():
        right = (net(ids[2000:]).argmax(1) == labels[2000:]).float().mean().item()
    print(f"accuracy {right:.3f}, {sum(crew.done)} parts, {time.perf_counter() - began:.1f} s")
    out = Path(__file__).resolve().parent / "out"
    out.mkdir(exist_ok=True)
    torch.save(net.state_dict(), out / "clues.pt")
    (out / "curve.json").write_text(json.dumps({"curve": curve, "accuracy": right}, indent=1))


if __name__ == "__main__":
    main()
