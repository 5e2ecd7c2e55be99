"""Routes radio messages of a county dispatch centre to the unit that has to take them.

    python main.py --messages 6000 --epochs 6

Writes the frozen messages with their manifest, the scores and the weights below --out.
"""
import argparse
import gzip
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import torch
from torch import nn

UNITS = ["ambulance", "engine", "patrol", "tow", "utility"]

EVENTS = {
    "ambulance": ["man down", "chest pain", "fall from ladder", "breathing trouble", "diabetic, not responding"],
    "engine": ["smoke showing", "grass fire", "alarm sounding", "kitchen fire", "smell of something burning"],
    "patrol": ["noise complaint", "door found open", "two men fighting", "suspicious van", "alarm sounding"],
    "tow": ["vehicle in ditch", "car blocking lane", "disabled truck", "trailer across lane", "suspicious van"],
    "utility": ["line down", "smell of gas", "water main break", "signal dark", "smell of something burning"],
}
PLACES = ["mill road", "county line", "route nine", "the feed store", "elm and second", "the old depot",
          "north bridge", "the school", "quarry hill", "the fairground"]
OPENERS = ["be advised", "respond to", "caller reports", "units copy", "please check", "second call for"]
CLOSERS = ["no further", "use caution", "time out", "caller stays on line", "cancel if clear", ""]


def compose(count: int, seed: int) -> list[dict]:
    rng = np.random.default_rng(seed)
    records = []
    for number in range(count):
        unit = UNITS[rng.choice(len(UNITS), p=[0.34, 0.18, 0.26, 0.12, 0.10])]
        words = [rng.choice(OPENERS), rng.choice(EVENTS[unit]), "at" if rng.random() < 0.6 else "near",
                 rng.choice(PLACES), rng.choice(CLOSERS)]
        if rng.random() < 0.15:
            words[1] = rng.choice(EVENTS[UNITS[rng.integers(len(UNITS))]])
        tokens = [w for w in " ".join(words).split() if rng.random() > 0.06]
        records.append({"id": f"msg-{number:06d}", "unit": unit, "text": " ".join(tokens),
                        "channel": int(rng.integers(1, 5))})
    return records


def freeze(records: list[dict], folder: Path) -> dict:
    """Packs the messages and writes the manifest that every later stage starts from."""
    folder.mkdir(parents=True, exist_ok=True)
    payload = "\n".join(json.dumps(r, sort_keys=True) for r in records).encode()
    packed = gzip.compress(payload, compresslevel=6)
    (folder / "messages.jsonl.gz").write_bytes(packed)
    manifest = {
        "archive": "messages.jsonl.gz",
        "rows": len(records),
        "sha256": hashlib.sha256(packed).hexdigest(),
        "units": UNITS,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2))
    return manifest


def thaw(folder: Path) -> tuple[list[dict], str]:
    manifest = json.loads((folder / "manifest.json").read_text())
    packed = (folder / manifest["archive"]).read_bytes()
    if hashlib.sha256(packed).hexdigest() != manifest["sha256"]:
        raise SystemExit(f"{manifest['archive']} does not match its manifest")
    records = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    return records, manifest["sha256"][:16]


def part_of(record: dict, release: str) -> str:
    """A message keeps its part for as long as the release stays the same."""
    digest = hashlib.md5(f"{release}/{record['id']}".encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return "train" if share < 0.7 else "valid" if share < 0.85 else "test"


def buckets_of(text: str, size: int) -> list[int]:
    words = re.findall(r"[a-z]+", text)
    grams = words + [f"{a}_{b}" for a, b in zip(words, words[1:])]
    return [int.from_bytes(hashlib.blake2s(g.encode(), digest_size=4).digest(), "little") % size for g in grams] or [0]


class Router(nn.Module):
    def __init__(self, size: int, width: int):
        super().__init__()
        self.bag = nn.EmbeddingBag(size, width, mode="mean")
        self.channel = nn.Embedding(5, 8)
        self.head = nn.Sequential(nn.Linear(width + 8, 64), nn.GELU(), nn.Dropout(0.2), nn.Linear(64, len(UNITS)))

    def forward(self, flat, offsets, channel):
        return self.head(torch.cat([self.bag(flat, offsets), self.channel(channel)], dim=1))


def pack(rows: list[tuple]) -> tuple[torch.Tensor, ...]:
    lengths = [len(r[0]) for r in rows]
    offsets = torch.tensor([0] + lengths[:-1]).cumsum(0)
    flat = torch.tensor([b for r in rows for b in r[0]])
    return flat, offsets, torch.tensor([r[1] for r in rows]), torch.tensor([r[2] for r in rows])


@torch.no_grad()
def score(model: Router, rows: list[tuple]) -> dict:
    model.eval()
    flat, offsets, channel, unit = pack(rows)
    logits = model(flat, offsets, channel)
    right = logits.argmax(1) == unit
    per_unit = {name: round(right[unit == i].float().mean().item(), 4) for i, name in enumerate(UNITS)}
    return {"loss": round(nn.functional.cross_entropy(logits, unit).item(), 5),
            "accuracy": round(right.float().mean().item(), 4), "per_unit": per_unit}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--buckets", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--out", type=Path, default=Path("out"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    freeze(compose(args.messages, args.seed), args.out)

    records, release = thaw(args.out)
    parts = {"train": [], "valid": [], "test": []}
    for record in records:
        row = (buckets_of(record["text"], args.buckets), record["channel"], UNITS.index(record["unit"]))
        parts[part_of(record, release)].append(row)
    print("rows:", ", ".join(f"{name} {len(rows)}" for name, rows in parts.items()))

    model = Router(args.buckets, 32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
    history = []
    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(parts["train"])).tolist()
        for start in range(0, len(order), args.batch):
            flat, offsets, channel, unit = pack([parts["train"][i] for i in order[start:start + args.batch]])
            loss = nn.functional.cross_entropy(model(flat, offsets, channel), unit)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append(score(model, parts["valid"]))
        print(f"epoch {epoch}: valid loss {history[-1]['loss']:.5f}, accuracy {history[-1]['accuracy']:.4f}")

    final = score(model, parts["test"])
    print(f"test: loss {final['loss']:.5f}, accuracy {final['accuracy']:.4f}")
    for name, value in final["per_unit"].items():
        print(f"  {name:<10} {value:.4f}")
    (args.out / "scores.json").write_text(json.dumps({"valid": history, "test": final}, indent=2))
    torch.save(model.state_dict(), args.out / "router.pt")


if __name__ == "__main__":
    main()
