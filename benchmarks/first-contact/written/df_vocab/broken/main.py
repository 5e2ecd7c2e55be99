"""Topic classifier: embeddings weighted by inverse document frequency."""
import random
import time
from pathlib import Path

import torch
from torch import nn

from textlib import Config, Vocabulary, make_corpus


class TopicNet(nn.Module):
    def __init__(self, vocabulary, width, classes=4):
        super().__init__()
        self.embed = nn.Embedding(len(vocabulary), width, padding_idx=0)
        self.register_buffer("idf", torch.tensor(vocabulary.idf))
        self.out = nn.Linear(width, classes)

    def forward(self, ids):
        weight = self.idf[ids].unsqueeze(-1)
        pooled = (self.embed(ids) * weight).sum(1) / weight.sum(1).clamp_min(1e-6)
        return self.out(torch.tanh(pooled))


def main():
    config = Config.parse((Path(__file__).parent / "config.txt").read_text())
    random.seed(config.seed)
    torch.manual_seed(config.seed)
    corpus = make_corpus(config.documents, config.seed)
    vocabulary = Vocabulary([text for text, _ in corpus], config.max_words)
    ids = torch.tensor([vocabulary.encode(text, 60) for text, _ in corpus])
    topics = torch.tensor([topic for _, topic in corpus])
    print(f"{len(vocabulary)} words, {len(corpus)} documents")

    model = TopicNet(vocabulary, config.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
    for epoch in range(config.epochs):
        start = time.time()
        for batch in torch.randperm(len(ids)).split(30):
            loss = nn.functional.cross_entropy(model(ids[batch]), topics[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = (model(ids).argmax(1) == topics).float().mean().item()
        print(f"epoch {epoch} accuracy {accuracy:.4f} {time.time() - start:.2f} s")
    torch.save({"model": model.state_dict(), "vocabulary": vocabulary.index}, "topics.pt")
    print(f"final loss {loss.item()!r}")


if __name__ == "__main__":
    main()
