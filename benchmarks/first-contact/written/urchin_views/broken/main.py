"""SimCLR on rendered sea urchins, judged by the nearest class mean."""
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from shards import load_all, render_all


@dataclass(frozen=True)
class Plan:
    shards: int = 10
    per_shard: int = 64
    batch: int = 64
    epochs: int = 3
    temperature: float = 0.3
    seed: int = 8


class TwoViews(Dataset):
    def __init__(self, images: np.ndarray):
        self.images = torch.from_numpy(images).float().div_(255).unsqueeze(1)

    def __len__(self):
        return len(self.images)

    def view(self, image):
        dy, dx = torch.randint(-2, 3, (2,)).tolist()
        image = torch.roll(image, (dy, dx), dims=(1, 2))
        if torch.rand(()) < 0.5:
            image = image.flip(2)
        return image * (0.7 + 0.6 * torch.rand(())) + 0.05 * torch.randn_like(image)

    def __getitem__(self, i):
        return self.view(self.images[i]), self.view(self.images[i])


def encoder() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Flatten(), nn.Linear(24 * 16, 32),
    )


def nt_xent(a, b, temperature):
    z = F.normalize(torch.cat([a, b]), dim=1)
    logits = z @ z.T / temperature
    logits.fill_diagonal_(float("-inf"))
    n = len(a)
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(logits, target)


def main():
    plan = Plan()
    torch.manual_seed(plan.seed)
    torch.set_num_threads(1)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="urchins-") as folder:
        n = render_all(folder, plan.shards, plan.per_shard, plan.seed)
        images, species = load_all(folder)
    print(f"{n} shards, {len(images)} images in {time.perf_counter() - began:.2f} s", file=sys.stderr)

    data = TwoViews(images)
    loader = DataLoader(data, batch_size=plan.batch, shuffle=True, drop_last=True, num_workers=2,
                        persistent_workers=True, multiprocessing_context="fork",
                        generator=torch.Generator().manual_seed(plan.seed))
    body, head = encoder(), nn.Sequential(nn.ReLU(), nn.Linear(32, 16))
    parameters = [*body.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.9, nesterov=True)
    losses = []
    for epoch in range(plan.epochs):
        for one, two in loader:
            loss = nt_xent(head(body(one)), head(body(two)), plan.temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} loss {np.mean(losses[-len(loader):]):.6f}")

    body.eval()
    with torch.no_grad():
        features = F.normalize(body(data.images), dim=1)
    cut = 3 * len(features) // 4
    kind = torch.from_numpy(species)
    means = torch.stack([features[:cut][kind[:cut] == k].mean(0) for k in range(4)])
    hit = torch.cdist(features[cut:], means).argmin(1) == kind[cut:]
    print(json.dumps({"plan": asdict(plan), "final_loss": losses[-1],
                      "probe": round(hit.float().mean().item(), 4),
                      "weights": sum(p.double().sum().item() for p in parameters)}, indent=1))


if __name__ == "__main__":
    main()
