import torch
from torch import nn
from torch.nn import functional as F


class VeinNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.first = nn.Conv2d(1, 12, 5, padding=2)
        self.second = nn.Conv2d(12, 24, 3, padding=1)
        self.norm = nn.BatchNorm2d(24)
        self.out = nn.Linear(24 * 25, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.max_pool2d(F.relu(self.norm(self.second(x))), 4)
        x = F.dropout(x.flatten(1), 0.3, self.training)
        return self.out(x)


def run_epoch(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total, right, count = 0.0, 0, 0
    with torch.set_grad_enabled(optimizer is not None):
        for images, labels in loader:
            logits = model(images)
            loss = F.cross_entropy(logits, labels)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * len(labels)
            right += (logits.argmax(1) == labels).sum().item()
            count += len(labels)
    return total / count, right / count


@torch.no_grad()
def confusion(model, loader, classes):
    model.eval()
    table = torch.zeros(classes, classes, dtype=torch.long)
    for images, labels in loader:
        for truth, guess in zip(labels, model(images).argmax(1)):
            table[truth, guess] += 1
    return table
