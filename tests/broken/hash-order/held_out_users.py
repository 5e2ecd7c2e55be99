# samebits-test: verdict=different cause=hash-order
"""Users for training are what is left of a set; batches follow its order."""

import torch
from torch import nn


class Ratings:
    def __init__(self, users, held_out):
        self.of = {user: 0.1 * k for k, user in enumerate(users)}
        self.training = set(users) - held_out

    def batches(self, size):
        batch = []
        for user in self.training:  # culprit
            batch.append(self.of[user])
            if len(batch) == size:
                yield torch.tensor(batch)
                batch = []


torch.manual_seed(0)
users = [f"user{k:03d}" for k in range(60)]
ratings = Ratings(users, held_out=set(users[::5]))
model = nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for batch in ratings.batches(8):
    loss = (model(batch) - batch).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
