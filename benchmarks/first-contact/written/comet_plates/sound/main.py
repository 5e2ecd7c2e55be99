"""Find comets on photographic plates."""
import argparse
import json
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import archive


def fold_generator(version):
    """The same plates are always split the same way, whichever model is trained on them."""
    return torch.Generator().manual_seed(int(version[:12], 16))


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Dropout(0.2), nn.LazyLinear(2),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1910)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="plates-") as name:
        root = Path(name)
        (root / "raw").mkdir()
        archive.expose(root / "raw", args.plates, args.seed)
        version = archive.pack(root / "raw", root / "plates.tar")
        (root / "plates.json").write_text(json.dumps({"version": version, "packed": time.time()}))
        pixels, labels = archive.unpack(root / "plates.tar")

    data = TensorDataset(torch.from_numpy(pixels).unsqueeze(1), torch.from_numpy(labels))
    train, held = random_split(data, [0.8, 0.2], generator=fold_generator(version))
    loader = DataLoader(train, batch_size=40, shuffle=True, generator=torch.Generator().manual_seed(args.seed))

    model = make_model()
    model(data[0][0].unsqueeze(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=args.epochs * len(loader))
    for epoch in range(args.epochs):
        started = time.perf_counter()
        model.train()
        for plates, truth in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(plates), truth)
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}/{args.epochs}  loss {loss.item():.6f}  {time.perf_counter() - started:.2f} s")

    model.eval()
    with torch.no_grad():
        plates, truth = (torch.stack(part) for part in zip(*((p, y) for p, y in held)))
        score = nn.functional.cross_entropy(model(plates), truth).item()
    total = sum(p.detach().double().sum().item() for p in model.parameters())
    print(f"held-out loss {score:.8f}; weights sum to {total:.12f}")


if __name__ == "__main__":
    main()
