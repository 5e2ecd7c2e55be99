"""Worker processes that compute gradients of micro-batches on weights in shared memory."""
import torch
import torch.multiprocessing as mp
from torch.nn import functional as F


def work(rank, seed, net, ids, labels, tasks, results):
    torch.set_num_threads(1)
    torch.manual_seed(seed * 1_000_003 + rank)
    net.train()
    while (task := tasks.get()) is not None:
        number, rows = task
        net.zero_grad()
        loss = F.cross_entropy(net(ids[rows]), labels[rows], reduction="sum")
        loss.backward()
        grads = [p.grad.numpy().copy() for p in net.parameters()]
        results.put((number, rank, loss.item(), grads))


class Crew:
    def __init__(self, size, seed, net, ids, labels):
        context = mp.get_context("fork")
        self.tasks, self.results = context.Queue(), context.Queue()
        self.done = [0] * size
        self.sent = 0
        shared = (seed, net, ids, labels, self.tasks, self.results)
        self.people = [context.Process(target=work, args=(rank, *shared), daemon=True) for rank in range(size)]
        for person in self.people:
            person.start()

    def gradients(self, parts):
        """Sums loss and gradients over the parts, in the order of the parts."""
        for rows in parts:
            self.tasks.put((self.sent, rows.tolist()))
            self.sent += 1
        answers = []
        for _ in parts:
            number, rank, loss, grads = self.results.get()
            self.done[rank] += 1
            answers.append((number, loss, grads))
        answers.sort(key=lambda answer: answer[0])
        total = [sum(layer) for layer in zip(*(grads for _, _, grads in answers))]
        return sum(loss for _, loss, _ in answers), total

    def close(self):
        for _ in self.people:
            self.tasks.put(None)
        for person in self.people:
            person.join()
