"""Local SGD: two processes train copies of a model, the parent averages them after each round."""
import copy
import os
import time

import torch
import torch.multiprocessing as mp
from torch import nn

WORKERS, ROUNDS = 2, 4


def sequences(seed, n=400, length=20):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, length, 2, generator=g)
    y = (x[:, :, 0] * x[:, :, 1].sign()).cumsum(1)[:, -1] > 0
    return x, y.float()


class Counter(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(self.drop(h[-1])).squeeze(-1)


def serve(rank, tasks, results):
    torch.set_num_threads(1)
    x, y = (t[rank::WORKERS] for t in sequences(21))
    model = Counter()
    loss_fn = nn.BCEWithLogitsLoss()
    while True:
        task = tasks.get()
        if task is None:
            return
        number, state = task
        torch.manual_seed(1000 * number + rank)
        model.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()})
        opt = torch.optim.Adam(model.parameters(), lr=4e-3)
        start = time.time()
        for idx in torch.randperm(len(x)).split(20):
            opt.zero_grad()
            loss = loss_fn(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
        answer = {k: v.numpy().copy() for k, v in model.state_dict().items()}
        results.put((rank, answer, loss.item(), os.getpid(), time.time() - start))


def main():
    torch.manual_seed(21)
    model = Counter()
    results = mp.Queue()
    inboxes = [mp.Queue() for _ in range(WORKERS)]
    procs = [mp.Process(target=serve, args=(r, inboxes[r], results), daemon=True) for r in range(WORKERS)]
    for p in procs:
        p.start()
    for number in range(ROUNDS):
        state = {k: v.numpy() for k, v in copy.deepcopy(model.state_dict()).items()}
        for inbox in inboxes:
            inbox.put((number, state))
        answers = {}
        while len(answers) < WORKERS:
            rank, answer, loss, pid, seconds = results.get()
            print(f"round {number}: worker {rank} (pid {pid}) loss {loss:.4f} in {seconds:.2f} s")
            answers[rank] = answer
        averaged = {}
        for key in state:
            stack = torch.stack([torch.from_numpy(answers[r][key]) for r in range(WORKERS)])
            averaged[key] = stack.mean(0)
        model.load_state_dict(averaged)
    for inbox in inboxes:
        inbox.put(None)
    for p in procs:
        p.join()
    x, y = sequences(22)
    model.eval()
    with torch.no_grad():
        logits = model(x)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, y).item()
    torch.save(model.state_dict(), "averaged.pt")
    print("final loss", loss, "accuracy", ((logits > 0) == (y > 0)).float().mean().item())


if __name__ == "__main__":
    mp.set_start_method("spawn")
    main()
