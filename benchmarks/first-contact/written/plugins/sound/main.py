"""Builds a network from registered blocks, as a configuration file describes it."""
import configparser
import socket
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

import blocks


def read_config():
    parser = configparser.ConfigParser()
    parser.read(Path(__file__).with_name("model.cfg"))
    return parser


def build(section):
    width = section.getint("width")
    inner = [blocks.create(spec, width) for spec in section["blocks"].split()]
    return nn.Sequential(nn.Conv1d(1, width, 7, stride=2), *inner, nn.AdaptiveAvgPool1d(4), nn.Flatten(),
                         nn.Linear(4 * width, 3))


def chirps(n):
    t = torch.linspace(0, 1, 96)
    y = torch.randint(3, (n,))
    rate = torch.tensor([0.0, 12.0, -12.0])[y]
    phase = 6.28 * (torch.rand(n, 1) + (16 + 4 * torch.rand(n, 1)) * t + rate[:, None] * t ** 2)
    return (torch.sin(phase) + 0.5 * torch.randn(n, 96)).unsqueeze(1), y


def main():
    config = read_config()
    torch.manual_seed(config.getint("train", "seed"))
    net = build(config["model"])
    used = {type(m).__name__.lower() for m in net} & set(blocks.BLOCKS)
    print(f"{socket.gethostname()}: {len(used)} of {len(blocks.BLOCKS)} kinds of blocks in use")
    x, y = chirps(600)
    opt = torch.optim.Adam(net.parameters(), lr=config.getfloat("train", "lr"))
    best, since = float("inf"), time.time()
    with tempfile.TemporaryDirectory() as tmp:
        kept = Path(tmp) / "best.pt"
        for step in range(config.getint("train", "steps")):
            idx = torch.randint(450, (32,))
            loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 20 == 19:
                net.eval()
                with torch.no_grad():
                    check = nn.functional.cross_entropy(net(x[450:]), y[450:]).item()
                net.train()
                print(f"{step + 1:4d} {check:.4f} {time.time() - since:.1f} s -> {tmp}")
                if check < best:
                    best = check
                    torch.save(net.state_dict(), kept)
        net.load_state_dict(torch.load(kept))
    torch.save(net.state_dict(), "chirps.pt")
    print("final best", best, "weights", sum(p.double().abs().sum().item() for p in net.parameters()))


if __name__ == "__main__":
    main()
