import torch
from torch import nn
from torch.nn import functional as F


class ReadmissionNet(nn.Module):
    def __init__(self, n_features, hidden=48):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, hidden), nn.GELU(), nn.Dropout(0.2),
            nn.Linear(hidden, hidden), nn.GELU(), nn.Dropout(0.2),
        )
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


def train(net, x, y, epochs, batch_size, lr):
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.05)
    weight = (1 - y).sum() / y.sum()
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(batch_size):
            loss = F.binary_cross_entropy_with_logits(net(x[rows]), y[rows], pos_weight=weight)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1}: loss {total / len(x):.6f}")


def auc(score, label):
    order = score.argsort(stable=True)
    ranks = torch.empty(len(score), dtype=torch.float64)
    ranks[order] = torch.arange(1, len(score) + 1, dtype=torch.float64)
    n_pos = label.sum().item()
    n_neg = len(label) - n_pos
    return (ranks[label == 1].sum().item() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)
