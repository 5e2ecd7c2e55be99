"""A small diffusion model of spore micrographs (12 x 12, synthetic)."""
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from settings import Settings


class Spores(Dataset):
    """Blurred elliptical shells; every grain has its own generator, so that workers need no state."""

    def __init__(self, settings: Settings):
        self.n, self.size = settings.grains, settings.size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng([17, i])
        a, b = rng.uniform(2.0, 4.5, 2)
        cx, cy = self.size / 2 + rng.normal(0, 0.5, 2)
        yy, xx = np.mgrid[: self.size, : self.size] + 0.5
        r = np.sqrt(((xx - cx) / a) ** 2 + ((yy - cy) / b) ** 2)
        image = np.exp(-((r - 1.0) / 0.3) ** 2) * 2 - 1
        return torch.from_numpy(image.astype(np.float32)).flatten()


class Denoiser(nn.Module):
    def __init__(self, pixels: int, width: int, steps: int):
        super().__init__()
        self.when = nn.Embedding(steps, width)
        self.enter = nn.Linear(pixels, width)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.leave = nn.Linear(width, pixels)

    def forward(self, x, t):
        return self.leave(self.body(self.enter(x) + self.when(t)))


class Average:
    """Exponential moving average of the weights."""

    def __init__(self, model: nn.Module, decay: float = 0.98):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model: nn.Module):
        for k, v in model.state_dict().items():
            self.shadow[k].lerp_(v, 1 - self.decay)


def train(settings, model, average, loader, alpha_bar, generator):
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    for epoch in range(settings.epochs):
        began, losses = time.perf_counter(), []
        for clean in loader:
            t = torch.randint(len(alpha_bar), (len(clean),), generator=generator)
            noise = torch.randn(clean.shape, generator=generator)
            level = alpha_bar[t].unsqueeze(1)
            loss = (model(level.sqrt() * clean + (1 - level).sqrt() * noise, t) - noise).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(model)
            losses.append(loss.item())
        if epoch % 7 == 6:
            rate = settings.grains / (time.perf_counter() - began)
            print(f"epoch {epoch + 1:2d} loss {np.mean(losses):.6f} ({rate:.0f} grains/s)")


@torch.no_grad()
def generate(model, alpha_bar, n, pixels, generator):
    x = torch.randn(n, pixels, generator=generator)
    for t in reversed(range(len(alpha_bar))):
        now = alpha_bar[t]
        before = alpha_bar[t - 1] if t else torch.tensor(1.0)
        eps = model(x, torch.full((n,), t))
        clean = ((x - (1 - now).sqrt() * eps) / now.sqrt()).clamp(-1, 1)
        x = before.sqrt() * clean + (1 - before).sqrt() * eps
    return x


def main():
    settings = Settings()
    torch.manual_seed(settings.trial)
    torch.set_num_threads(1)
    pixels = settings.size ** 2
    alpha_bar = settings.schedule.alpha_bar()

    data = Spores(settings)
    images = torch.stack([data[i] for i in range(len(data))])
    loader = DataLoader(images, batch_size=settings.batch, shuffle=True,
                        generator=torch.Generator().manual_seed(settings.trial))
    model = Denoiser(pixels, settings.width, settings.schedule.steps)
    average = Average(model)
    noise = torch.Generator().manual_seed(settings.key)
    train(settings, model, average, loader, alpha_bar, noise)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{settings.name}.pt"
        torch.save({"model": average.shadow, "settings": settings.canonical()}, path)
        model.load_state_dict(torch.load(path)["model"])
    grains = generate(model.eval(), alpha_bar, 64, pixels, torch.Generator().manual_seed(5))
    gap = (grains.mean(0) - images.mean(0)).abs().mean().item()
    print(f"{settings.name}: gap to the mean spore {gap:.8f}")
    print("weights", sum(p.double().abs().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
