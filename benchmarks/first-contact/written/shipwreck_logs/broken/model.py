import torch
from torch import nn


class BagClassifier(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.table = nn.Embedding(n_words, dim)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(dim, n_classes)

    def predict(self, flat, offsets):
        mean = nn.functional.embedding_bag(flat, self.table.weight, offsets, mode="mean")
        return self.out(self.drop(mean))


def run_epoch(model, optimizer, data, batch):
    spans, flat, labels = data
    model.train()
    total = 0.0
    for rows in torch.randperm(len(spans)).split(batch):
        pieces = [flat[spans[i][0]:spans[i][1]] for i in rows.tolist()]
        lengths = torch.tensor([0] + [len(p) for p in pieces[:-1]])
        logits = model.predict(torch.cat(pieces), lengths.cumsum(0))
        loss = nn.functional.cross_entropy(logits, labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(spans)
