"""Fills losses in frescoes. Holes are small at first and grow as training goes on."""
import argparse
import csv
import hashlib
import io
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

import plaster


class Filler(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(4, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 4, stride=2, padding=1), nn.ReLU())
        self.middle = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.up = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(width, 3, 3, padding=1), nn.Sigmoid())

    def forward(self, worn, mask):
        hidden = self.down(torch.cat([worn, mask], dim=1))
        return self.up(hidden + torch.relu(self.middle(hidden)))


def loss_of(net, worn, mask, picture):
    error = (net(worn, mask) - picture).abs()
    return error.mean() + 3 * (error * (1 - mask)).mean()


def test_loss(net, seed):
    generator = torch.Generator().manual_seed(seed)
    pictures = [plaster.paint(number, seed) for number in range(5000, 5048)]
    worn, masks = zip(*(plaster.lose(picture, 0.7, generator) for picture in pictures))
    with torch.no_grad():
        return loss_of(net, torch.stack(worn), torch.stack(masks), torch.stack(pictures)).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--walls", type=int, default=400)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--visits", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1508)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    wear = plaster.Wear(args.visits * (args.walls // args.batch))
    rounds = plaster.Rounds(args.walls, args.batch, args.visits, args.seed)
    loader = DataLoader(plaster.Walls(args.walls, args.seed, wear), batch_sampler=rounds, num_workers=2)
    net = Filler()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    sheet = io.StringIO()
    rows = csv.writer(sheet)
    began = time.perf_counter()
    for step, (worn, mask, picture) in enumerate(loader):
        loss = loss_of(net, worn, mask, picture)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        wear.advance()
        rows.writerow([step, f"{loss.item():.7f}"])
        if step % 10 == 9:
            print(f"step {step + 1} loss {loss.item():.6f} ({(step + 1) * args.batch / (time.perf_counter() - began):.0f} walls/s)")
    print("test loss", test_loss(net, args.seed))
    print("losses", hashlib.sha1(sheet.getvalue().encode()).hexdigest()[:12])
    print("weights", sum(p.detach().double().sum().item() for p in net.parameters()))


if __name__ == "__main__":
    main()
