import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class MorphNet(nn.Module):
    def __init__(self, classes, width=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 5, padding=2), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d(3))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(18 * width, classes))

    def forward(self, x):
        return self.head(self.features(x))


def spin(batch):
    """Random quarter turn and mirror of the whole batch; the sky has no up."""
    batch = torch.rot90(batch, int(torch.randint(4, ())), (2, 3))
    return batch.flip(3) if torch.rand(()) < 0.5 else batch


def fit(net, images, labels, epochs):
    loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=epochs * len(loader))
    history = []
    for _ in range(epochs):
        total = 0.0
        net.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(spin(x)), y, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        history.append(total / len(loader))
    return history


@torch.no_grad()
def evaluate(net, images, truth, names):
    net.eval()
    guess = net(images).argmax(1)
    return {name: (guess[truth == i] == i).float().mean().item() for i, name in enumerate(names)}
