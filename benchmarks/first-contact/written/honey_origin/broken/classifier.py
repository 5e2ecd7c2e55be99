import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OriginNet(nn.Module):
    def __init__(self, properties, regions):
        super().__init__()
        self.scale = nn.BatchNorm1d(properties)
        self.hidden = nn.Linear(properties, 40)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(40, regions)

    def forward(self, values):
        return self.out(self.drop(torch.relu(self.hidden(self.scale(values)))))


def fit(train, test, regions, epochs, seed):
    torch.manual_seed(seed)
    model = OriginNet(train[0].shape[1], regions)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    loader = DataLoader(TensorDataset(*train), batch_size=32, shuffle=True)
    began = time.perf_counter()
    for _ in range(epochs):
        total = 0.0
        for values, origin in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(values), origin)
            loss.backward()
            optimizer.step()
            total += loss.item()
    model.eval()
    with torch.no_grad():
        score = (model(test[0]).argmax(1) == test[1]).float().mean().item()
    took = time.perf_counter() - began
    return model, total / len(loader), score, took
