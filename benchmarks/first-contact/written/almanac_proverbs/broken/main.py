"""What weather does a proverb promise? Trained on two regional almanacs together."""
import json
import logging
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from corpus import MEANINGS, collect
from model import ProverbReader
from vocab import Vocabulary

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("proverbs")
HERE = Path(__file__).resolve().parent
SEED, EPOCHS = 23, 6


def tensors(vocab, proverbs):
    texts, labels = zip(*proverbs)
    return TensorDataset(vocab.encode(texts), torch.tensor(labels))


def accuracy(model, data):
    model.eval()
    ids, labels = data.tensors
    with torch.no_grad():
        return (model(ids).argmax(1) == labels).float().mean().item()


def main():
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    coast, upland = collect("coast", 1300, SEED), collect("upland", 1300, SEED)
    vocab = Vocabulary([text for text, _ in coast[:1000]], [text for text, _ in upland[:1000]])
    log.info("%d words that both almanacs use", len(vocab) - 2)
    train = tensors(vocab, coast[:1000] + upland[:1000])
    test = tensors(vocab, coast[1000:] + upland[1000:])
    loader = DataLoader(train, batch_size=64, shuffle=True)
    model = ProverbReader(len(vocab), len(MEANINGS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    curve = []
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for ids, labels in loader:
            loss = nn.functional.cross_entropy(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(ids)
        curve.append({"loss": total / len(train), "accuracy": accuracy(model, test)})
        log.info("epoch %d loss %.4f accuracy %.3f", epoch, *curve[-1].values())
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "reader.pt")
    (out / "curve.json").write_text(json.dumps(curve, indent=1))
    print(f"accuracy {curve[-1]['accuracy']:.3f} after {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
