import torch
from torch import nn, optim

import horns
from feed import BackgroundFeed

torch.manual_seed(99)
torch.set_num_threads(1)

EPOCHS = 2
BATCHES = 10

net = nn.Sequential(
    nn.Conv2d(1, 8, (5, 3), stride=2, padding=(2, 1)), nn.BatchNorm2d(8), nn.ReLU(),
    nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.AdaptiveAvgPool2d((16, 1)), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, len(horns.NAMES)),
)
opt = optim.SGD(net.parameters(), lr=0.02, momentum=0.9, nesterov=True)
loss_fn = nn.CrossEntropyLoss()


def train(epoch):
    feed = BackgroundFeed(lambda i: horns.make_batch(epoch * BATCHES + i), BATCHES)
    net.train()
    running = None
    for specs, labels in feed:
        loss = loss_fn(net(torch.from_numpy(specs)), torch.from_numpy(labels))
        opt.zero_grad()
        loss.backward()
        opt.step()
        running = loss.item() if running is None else 0.9 * running + 0.1 * loss.item()
    return running, feed.waited


@torch.no_grad()
def accuracy():
    net.eval()
    right = total = 0
    for i in range(4):
        specs, labels = horns.make_batch(i, seed=6)
        right += (net(torch.from_numpy(specs)).argmax(1).numpy() == labels).sum()
        total += len(labels)
    return right / total


for epoch in range(EPOCHS):
    loss, waited = train(epoch)
    print(f"epoch {epoch}: loss {loss:.5f}, held-out accuracy {accuracy():.3f}")
    print(f"    waited {waited:.3f} s for batches")

torch.save({"net": net.state_dict(), "horns": horns.NAMES}, "horns.pt")
