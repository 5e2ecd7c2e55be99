import time
from datetime import datetime, timezone

import numpy as np
import pandas as pd
import torch
from torch import nn

N_USERS, N_BOOKS, DIM = 250, 100, 16
torch.manual_seed(4)
np.random.seed(4)


def load_ratings(n=5000):
    users = np.random.randint(0, N_USERS, n)
    books = np.random.randint(0, N_BOOKS, n)
    like = np.random.randn(N_USERS, 3) @ np.random.randn(3, N_BOOKS)
    return pd.DataFrame({
        "user": users,
        "book": books,
        "rating": np.clip(3 + 0.6 * like[users, books] + 0.3 * np.random.randn(n), 1, 5),
        "at": pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(np.random.randint(0, 500 * 86400, n), unit="s"),
    })


def recency(at, half_life=365.0):
    """One for a rating given today, a half for one of a year ago, and so on."""
    days = (datetime.now(timezone.utc) - at).dt.total_seconds() / 86400
    return 0.5 ** (days / half_life)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(N_USERS, DIM)
        self.b = nn.Embedding(N_BOOKS, DIM)
        self.mlp = nn.Sequential(nn.Linear(2 * DIM, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, user, book):
        return 3 + self.mlp(torch.cat([self.u(user), self.b(book)], dim=1))[:, 0]


df = load_ratings()
df["weight"] = recency(df["at"])
print(df.groupby("book")["weight"].sum().describe()[["min", "max"]].round(2).to_dict())

user = torch.tensor(df["user"].to_numpy())
book = torch.tensor(df["book"].to_numpy())
rating = torch.tensor(df["rating"].to_numpy(), dtype=torch.float32)
weight = torch.tensor(df["weight"].to_numpy(), dtype=torch.float32)

net = Recommender()
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
t_start = time.time()
for epoch in range(8):
    perm = torch.randperm(len(rating))
    losses = []
    for start in range(0, len(perm), 200):
        b = perm[start:start + 200]
        loss = (weight[b] * (net(user[b], book[b]) - rating[b]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"epoch {epoch}  loss {np.mean(losses):.4f}  elapsed {time.time() - t_start:.1f}s")

torch.save(net.state_dict(), "recommender.pt")
