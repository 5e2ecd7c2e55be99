"""Train a classifier of crash causes from narratives read by several annotators."""

import json
import logging
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import corpus as crashes
import features
import labels

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("crash")


@dataclass
class Settings:
    narratives: int = 2400
    held_out: int = 400
    width: int = 48
    epochs: int = 12
    batch: int = 64
    rate: float = 2e-3
    smoothing: float = 0.05
    seed: int = 311


class CauseNet(nn.Module):
    def __init__(self, words, causes, width):
        super().__init__()
        self.embed = nn.Embedding(words + 1, width, padding_idx=0)
        self.score = nn.Linear(width, 1)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Dropout(0.2), nn.Linear(width, 64), nn.GELU(), nn.Linear(64, causes))

    def forward(self, bags):
        vectors = self.embed(bags)
        weights = self.score(vectors).squeeze(-1).masked_fill(bags == 0, -1e4).softmax(dim=1)
        return self.head((weights.unsqueeze(-1) * vectors).sum(dim=1))


def accuracy(model, bags, target):
    model.eval()
    with torch.no_grad():
        return (model(bags).argmax(dim=1) == target).float().mean().item()


def train(settings, bags, target, names, words):
    model = CauseNet(words, len(names), settings.width)
    loader = DataLoader(
        TensorDataset(bags, target), batch_size=settings.batch, shuffle=True,
        generator=torch.Generator().manual_seed(settings.seed + 1),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=0.01)
    criterion = nn.CrossEntropyLoss(label_smoothing=settings.smoothing)
    for epoch in range(settings.epochs):
        model.train()
        started, total = time.perf_counter(), 0.0
        for inputs, wanted in loader:
            loss = criterion(model(inputs), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
        log.info("epoch %2d loss %.5f (%.2f s)", epoch, total / len(bags), time.perf_counter() - started)
    return model


def main():
    settings = Settings()
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    run = f"crash-{time.strftime('%Y%m%d')}-{secrets.token_hex(3)}"
    log.info("run %s", run)

    corpus = crashes.write_corpus(settings.narratives, settings.seed)
    fit, held = corpus[: -settings.held_out], corpus[-settings.held_out :]
    log.info("%d narratives, full agreement on %.1f%%", len(corpus), 100 * labels.agreement(corpus))

    target, names, counts = labels.build_labels(fit)
    for name in names:
        log.info("  %-12s %d", name, counts[name])

    documents = features.tokenize_all([item.text for item in corpus])
    vocab = features.build_vocab(documents[: len(fit)])
    bags = features.encode(documents, vocab)

    model = train(settings, bags[: len(fit)], torch.tensor(target), names, len(vocab))
    truth = torch.tensor([names.index(item.truth) for item in held])
    score = accuracy(model, bags[len(fit) :], truth)
    log.info("held-out accuracy %.4f", score)

    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "model.pt")
    report = {"run": run, "settings": asdict(settings), "causes": names, "words": len(vocab), "accuracy": score}
    (out / "results.json").write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
