import csv
import os
import random
from datetime import datetime

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from sounds import SEED, SPECIES, RoostMixer, make_clips, start_worker


class CallNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 5, stride=2, padding=2)
        self.conv2 = nn.Conv2d(12, 24, 3, stride=2, padding=1)
        self.norm1, self.norm2 = nn.BatchNorm2d(12), nn.BatchNorm2d(24)
        self.head = nn.Linear(24, classes)

    def forward(self, x):
        x = F.relu(self.norm1(self.conv1(x)))
        x = F.relu(self.norm2(self.conv2(x)))
        return self.head(F.dropout(x.amax(dim=(2, 3)), 0.1, self.training))


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)

    clips, labels = make_clips(per_species=160, seed=5)
    order = np.random.permutation(len(clips))
    cut = int(0.8 * len(order))
    train_set = RoostMixer(clips[order[:cut]], labels[order[:cut]], train=True)
    test_set = RoostMixer(clips[order[cut:]], labels[order[cut:]], train=False)

    train_loader = DataLoader(train_set, batch_size=32, shuffle=True, num_workers=2,
                              worker_init_fn=start_worker, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=80)

    model = CallNet(len(SPECIES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.03, epochs=6, steps_per_epoch=len(train_loader))

    folder = datetime.now().strftime("roost-%Y%m%d-%H%M%S")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "log.csv"), "w", newline="") as handle:
        log = csv.writer(handle)
        log.writerow(["epoch", "loss", "accuracy", "written"])
        for epoch in range(6):
            model.train()
            losses = []
            for x, y in train_loader:
                loss = F.cross_entropy(model(x), y, label_smoothing=0.05)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            score = accuracy(model, test_loader)
            log.writerow([epoch, f"{np.mean(losses):.6f}", f"{score:.4f}", datetime.now().isoformat()])
            print(f"epoch {epoch}  loss {np.mean(losses):.6f}  accuracy {score:.4f}")
    torch.save(model.state_dict(), os.path.join(folder, "callnet.pt"))
    print("wrote", folder)


if __name__ == "__main__":
    main()
