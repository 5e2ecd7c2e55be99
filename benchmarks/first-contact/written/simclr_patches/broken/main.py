"""SimCLR pre-training on patches, then a linear probe."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from dataset import Patches


def encoder():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(512, 48),
    )


def nt_xent(a, b, temperature=0.3):
    z = F.normalize(torch.cat([a, b]), dim=1)
    sim = z @ z.T / temperature
    sim.fill_diagonal_(-1e9)
    n = len(a)
    target = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, target)


def pretrain(data, epochs=3):
    enc, head = encoder(), nn.Sequential(nn.ReLU(), nn.Linear(48, 24))
    opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], lr=2e-3)
    loader = DataLoader(data, batch_size=100, shuffle=True, drop_last=True)
    for epoch in range(epochs):
        data.epoch = epoch
        total = 0.0
        for a, b, _ in loader:
            loss = nt_xent(head(enc(a)), head(enc(b)))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} nt-xent {total / len(loader):.6f}")
    return enc


def linear_probe(enc, train, test):
    enc.eval()
    with torch.no_grad():
        xt, xv = (enc(torch.stack(d.images).unsqueeze(1)) for d in (train, test))
    yt, yv = torch.tensor(train.labels), torch.tensor(test.labels)
    probe = nn.Linear(48, 4)
    opt = torch.optim.LBFGS(probe.parameters(), max_iter=40)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(probe(xt), yt) + 1e-3 * probe.weight.square().sum()
        loss.backward()
        return loss

    opt.step(closure)
    with torch.no_grad():
        out = probe(xv)
    return (out.argmax(1) == yv).float().mean().item(), F.cross_entropy(out, yv).item()


if __name__ == "__main__":
    torch.manual_seed(100)
    train, test = Patches(500, seed=1), Patches(200, seed=2)
    enc = pretrain(train)
    acc, nll = linear_probe(enc, train, test)
    print(f"linear probe: accuracy {acc:.4f} nll {nll:.6f}")
    torch.save(enc.state_dict(), "encoder.pt")
