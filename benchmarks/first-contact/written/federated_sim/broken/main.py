"""Federated averaging with staleness-style mixing: the server folds each client's update in as it comes."""
import copy
import csv
import multiprocessing as mp

import torch
from torch import nn

CLIENTS, ROUNDS, PER_ROUND = 12, 4, 6


def model_fn():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


def client_data(cid, n=None):
    """Every client has its own mixture of classes and its own amount of data."""
    g = torch.Generator().manual_seed(5000 + cid)
    n = n or int(torch.randint(80, 600, (1,), generator=g))
    centres = torch.randn(4, 16, generator=torch.Generator().manual_seed(1))
    mix = torch.rand(4, generator=g) ** 3 + 0.02
    y = torch.multinomial(mix, n, replacement=True, generator=g)
    return centres[y] + 1.1 * torch.randn(n, 16, generator=g), y


def local_training(job):
    cid, rnd, weights = job
    torch.set_num_threads(1)
    torch.manual_seed(cid * 1000 + rnd)
    model = model_fn()
    model.load_state_dict(weights)
    x, y = client_data(cid)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(2):
        for b in torch.randperm(len(x)).split(16):
            loss = nn.functional.cross_entropy(model(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return cid, {k: v.numpy() for k, v in model.state_dict().items()}


class Server:
    def __init__(self, mixing=0.3):
        self.model, self.mixing = model_fn(), mixing

    def weights(self):
        return copy.deepcopy(self.model.state_dict())

    @torch.no_grad()
    def fold_in(self, update):
        for name, p in self.model.named_parameters():
            p.lerp_(torch.from_numpy(update[name]), self.mixing)

    @torch.no_grad()
    def evaluate(self, x, y):
        out = self.model(x)
        return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    server = Server()
    test = [torch.cat(t) for t in zip(*(client_data(100 + i, 80) for i in range(10)))]
    choose = torch.Generator().manual_seed(3)
    with mp.get_context("fork").Pool(3) as workers, open("rounds.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["round", "loss", "accuracy"])
        for rnd in range(ROUNDS):
            chosen = torch.randperm(CLIENTS, generator=choose)[:PER_ROUND].tolist()
            jobs = [(cid, rnd, server.weights()) for cid in chosen]
            for cid, update in workers.imap_unordered(local_training, jobs):
                server.fold_in(update)
            loss, acc = server.evaluate(*test)
            out.writerow([rnd, loss, acc])
            print(f"round {rnd}: clients {sorted(chosen)} loss {loss:.7f} accuracy {acc:.4f}")
    torch.save(server.model.state_dict(), "global.pt")


if __name__ == "__main__":
    main()
