"""Few-shot identification of ostracod genera from valve outlines."""
import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from episodes import Cabinet, EpisodeSampler
from protonet import OutlineEncoder, episode_logits
from specimens import TAXA, pick_slides


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--episodes", type=int, default=160)
    p.add_argument("--per-taxon", type=int, default=120)
    p.add_argument("--way", type=int, default=4)
    p.add_argument("--shot", type=int, default=3)
    p.add_argument("--query", type=int, default=10)
    p.add_argument("--seed", type=int, default=42)
    p.add_argument("--out", type=Path, default=Path("shells"))
    return p.parse_args()


def test(encoder, sampler, rounds: int) -> np.ndarray:
    encoder.eval()
    scores = []
    with torch.no_grad():
        for _ in range(rounds):
            logits, target = episode_logits(encoder, *sampler.draw())
            scores.append((logits.argmax(1) == target).float().mean().item())
    encoder.train()
    return np.array(scores)


def main():
    args = parse()
    torch.manual_seed(args.seed)
    t0 = time.time()
    specimens = pick_slides(args.per_taxon, args.seed)
    cabinet = Cabinet(specimens, withdrawn={"S02-01", "S07-03"})
    print(f"{len(cabinet)} of {len(specimens)} valves usable; first {specimens[0]}")

    seen, unseen = TAXA[:8], TAXA[8:]
    shape = dict(way=args.way, shot=args.shot, query=args.query)
    train = EpisodeSampler(cabinet, seen, seed=args.seed, **shape)
    encoder = OutlineEncoder()
    opt = torch.optim.Adam(encoder.parameters(), lr=2e-3)

    rows, losses = [], []
    for episode in range(1, args.episodes + 1):
        logits, target = episode_logits(encoder, *train.draw())
        loss = F.cross_entropy(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        if episode % 40 == 0:
            held = EpisodeSampler(cabinet, unseen, seed=1000, **shape)
            scores = test(encoder, held, 25)
            pace = episode / (time.time() - t0)
            rows.append({"episode": episode, "loss": float(np.mean(losses[-40:])), "unseen": scores.mean()})
            print(
                f"episode {episode:4d}  loss {rows[-1]['loss']:.5f}  "
                f"unseen taxa {scores.mean():.4f} +- {1.96 * scores.std() / 5:.4f}  ({pace:.1f} it/s)"
            )

    args.out.mkdir(parents=True, exist_ok=True)
    torch.save(encoder.state_dict(), args.out / "encoder.pt")
    card = {
        "host": platform.node(),
        "args": {k: str(v) for k, v in vars(args).items()},
        "curve": rows,
        "elapsed": f"{time.time() - t0:.2f}s",
    }
    (args.out / "card.json").write_text(json.dumps(card, indent=2))
    print(time.strftime("%H:%M:%S"), "saved to", args.out, "in", card["elapsed"])


if __name__ == "__main__":
    main()
