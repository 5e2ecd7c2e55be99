import shutil
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import ImageFolder, prepare


def net(classes):
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 16, classes))


def main(seed=88, classes=4, epochs=3):
    torch.manual_seed(seed)
    folder = prepare(400, classes, seed)
    try:
        dataset = ImageFolder(folder)
        loader = DataLoader(dataset, batch_size=25, shuffle=True, generator=torch.Generator().manual_seed(seed))
        model = net(classes)
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(epochs):
            dataset.set_epoch(epoch)
            correct, start = 0, time.time()
            for x, y in loader:
                out = model(x)
                loss = nn.functional.cross_entropy(out, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                correct += (out.argmax(1) == y).sum().item()
            print(f"epoch {epoch} train accuracy {correct / len(dataset):.4f} {time.time() - start:.1f} s")
    finally:
        shutil.rmtree(folder)
    torch.save(model.state_dict(), "textures.pt")
    print(f"final loss {loss.item()!r}")


if __name__ == "__main__":
    main()
