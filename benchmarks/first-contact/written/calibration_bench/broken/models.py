import torch
from torch import nn

from glyphs import CLASSES, SIDE


def linear():
    return nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, CLASSES))


def convnet():
    return nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Dropout(0.3), nn.Linear(12 * 36, CLASSES))


def train(net, x, y, epochs, batch=30):
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    net.train()
    for _ in range(epochs):
        for pick in torch.randperm(len(y)).split(batch):
            loss = nn.functional.cross_entropy(net(x[pick]), y[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return net, loss.item()
