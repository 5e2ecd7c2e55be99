"""Seven properties of a reef quadrat from one multispectral picture."""

import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

from settings import WEIGHTS, Settings


class Quadrats(Dataset):
    """Pictures whose texture follows seven hidden properties."""

    def __init__(self, settings):
        rng = np.random.default_rng(settings.seed)
        self.targets = rng.normal(0, 1, (settings.quadrats, len(WEIGHTS))).astype(np.float32)
        loadings = rng.normal(0, 0.5, (len(WEIGHTS), settings.bands))
        grid = np.linspace(0, 3 * np.pi, settings.size)
        waves = np.stack([np.outer(np.sin((k + 1) * grid / 3), np.cos(k * grid / 4)) for k in range(len(WEIGHTS))])
        pictures = np.einsum("qt,tb,thw->qbhw", self.targets, loadings, waves)
        self.pictures = (pictures + rng.normal(0, 0.4, pictures.shape)).astype(np.float32)
        self.column = {task: i for i, task in enumerate(WEIGHTS)}

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        targets = {task: self.targets[index, i] for task, i in self.column.items()}
        return torch.from_numpy(self.pictures[index]), targets


class ReefNet(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(settings.bands, 24, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(24, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * (settings.size // 4) ** 2, 48), nn.ReLU(),
        )
        self.heads = nn.ModuleDict({task: nn.Sequential(nn.Linear(48, 12), nn.Tanh(), nn.Linear(12, 1))
                                    for task in settings.tasks})

    def forward(self, pictures):
        shared = self.trunk(pictures)
        return {task: head(shared).squeeze(1) for task, head in self.heads.items()}


class Callback:
    def after_epoch(self, trainer, epoch, losses):
        pass


class Narrator(Callback):
    def __init__(self):
        self.began = time.perf_counter()

    def after_epoch(self, trainer, epoch, losses):
        worst = max(losses, key=losses.get)
        print(f"epoch {epoch}: total {sum(losses.values()):.3f}, worst {worst} {losses[worst]:.3f} "
              f"({time.perf_counter() - self.began:.1f} s)")


class Saver(Callback):
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)

    def after_epoch(self, trainer, epoch, losses):
        state = {"epoch": epoch, "model": trainer.model.state_dict(), "optimizer": trainer.optimizer.state_dict(),
                 "shuffle": trainer.shuffle.get_state()}
        torch.save(state, self.folder / "last.ckpt")


class Trainer:
    def __init__(self, settings, callbacks):
        self.settings = settings
        self.callbacks = callbacks
        torch.manual_seed(settings.seed)
        self.model = ReefNet(settings)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.lr)
        self.shuffle = torch.Generator().manual_seed(settings.seed)
        data = Quadrats(settings)
        split = torch.Generator().manual_seed(settings.seed + 1)
        self.train_set, self.test_set = random_split(data, [0.8, 0.2], generator=split)
        self.epoch = 0

    def load(self, path):
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.shuffle.set_state(state["shuffle"])
        self.epoch = state["epoch"] + 1

    def losses(self, pictures, targets):
        outputs = self.model(pictures)
        return {task: nn.functional.mse_loss(out, targets[task]) for task, out in outputs.items()}

    def fit(self, until):
        loader = DataLoader(self.train_set, self.settings.batch, shuffle=True, generator=self.shuffle)
        while self.epoch < until:
            self.model.train()
            for pictures, targets in loader:
                losses = self.losses(pictures, targets)
                self.optimizer.zero_grad()
                sum(self.settings.weight(task) * loss for task, loss in losses.items()).backward()
                self.optimizer.step()
            tested = self.test()
            for callback in self.callbacks:
                callback.after_epoch(self, self.epoch, tested)
            self.epoch += 1

    @torch.no_grad()
    def test(self):
        self.model.eval()
        pictures, targets = next(iter(DataLoader(self.test_set, len(self.test_set))))
        return {task: loss.item() for task, loss in self.losses(pictures, targets).items()}


def main():
    settings = Settings()
    callbacks = [Narrator(), Saver(settings.folder)]
    Trainer(settings, callbacks).fit(settings.resume_at)

    resumed = Trainer(settings, callbacks)
    resumed.load(Path(settings.folder) / "last.ckpt")
    resumed.fit(settings.epochs)
    missing = {name for name in WEIGHTS if name not in resumed.model.heads}
    print("tasks without a head:", missing or "none")
    torch.save(resumed.model.state_dict(), Path(settings.folder) / time.strftime("reef-%Y%m%d.pt"))


if __name__ == "__main__":
    main()
