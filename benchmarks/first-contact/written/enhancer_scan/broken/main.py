"""Enhancer classifier: convolutional stem, two blocks of chunked attention."""
import json
import platform
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn

from attention import ChunkedSelfAttention, ChunkPlanner
from genome import batches, make_dataset


@dataclass
class ModelConfig:
    dim: int = 32
    heads: int = 4
    blocks: int = 2
    dropout: float = 0.1
    memory_mib: float = 8.0


@dataclass
class RunConfig:
    seed: int = 2024
    train_windows: int = 60
    test_windows: int = 40
    batch_size: int = 10
    epochs: int = 5
    lr: float = 1.5e-3
    model: ModelConfig = field(default_factory=ModelConfig)
    folder: str = str(Path(__file__).resolve().parent / "out")


class Block(nn.Module):
    def __init__(self, cfg, planner, name):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.dim)
        self.attention = ChunkedSelfAttention(cfg.dim, cfg.heads, planner, name)
        self.norm2 = nn.LayerNorm(cfg.dim)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Dropout(cfg.dropout), nn.Linear(2 * cfg.dim, cfg.dim)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class EnhancerNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.planner = ChunkPlanner(budget_mib=cfg.memory_mib)
        self.stem = nn.Conv1d(4, cfg.dim, 9, padding=4)
        self.blocks = nn.ModuleList(Block(cfg, self.planner, f"block{i}") for i in range(cfg.blocks))
        self.gate = nn.Linear(cfg.dim, 1)
        self.head = nn.Linear(cfg.dim, 1)

    def forward(self, x):
        h = torch.relu(self.stem(x.transpose(1, 2))).transpose(1, 2)
        for block in self.blocks:
            h = block(h)
        share = torch.softmax(self.gate(h), dim=1)
        return self.head((share * h).sum(1)).squeeze(1)


@torch.no_grad()
def score(model, data, size):
    model.eval()
    logits, labels = [], []
    for length in sorted(data):
        x, y = data[length]
        for part, target in zip(x.split(size), y.split(size)):
            logits.append(model(part))
            labels.append(target)
    p = torch.sigmoid(torch.cat(logits)).double().numpy()
    y = torch.cat(labels).numpy()
    return {"auroc": float(roc_auc_score(y, p)), "auprc": float(average_precision_score(y, p)), "mean": float(p.mean())}


def main(cfg=RunConfig()):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(cfg.seed)
    folder = Path(cfg.folder)
    folder.mkdir(exist_ok=True)
    print(f"{platform.node()}, torch {torch.__version__}, {time.ctime()}")

    train = make_dataset(cfg.train_windows, cfg.seed)
    test = make_dataset(cfg.test_windows, cfg.seed + 1)
    model = EnhancerNet(cfg.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.02)
    loss_fn = nn.BCEWithLogitsLoss()

    log = []
    for epoch in range(cfg.epochs):
        began = time.perf_counter()
        model.train()
        losses = []
        for x, y in batches(train, cfg.batch_size, rng):
            loss = loss_fn(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            losses.append(loss.item())
        entry = {"epoch": epoch, "loss": float(np.mean(losses)), **score(model, test, cfg.batch_size)}
        log.append(entry)
        print(" ".join(f"{k}={v:.9g}" for k, v in entry.items()), f"({time.perf_counter() - began:.2f} s)")

    slowest = max(model.planner.seconds.values())
    print(f"{len(model.planner.plans)} attention plans, slowest {1e3 * slowest:.2f} ms")
    torch.save(model.state_dict(), folder / "enhancer.pt")
    (folder / "log.json").write_text(json.dumps({"config": asdict(cfg), "log": log}, indent=1))


if __name__ == "__main__":
    main()
