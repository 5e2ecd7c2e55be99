# samebits-test: verdict=same
"""A model goes from site to site in the order of their numbers, whatever port they have."""

import secrets
import threading
from multiprocessing.connection import Client, Listener

import torch

KEY = secrets.token_bytes(8)


class Site(threading.Thread):
    def __init__(self, number):
        super().__init__(daemon=True)
        self.number = number
        torch.manual_seed(number)
        self.x = torch.randn(32, 4)
        self.listener = Listener(("127.0.0.1", 0), authkey=KEY)

    def run(self):
        with self.listener.accept() as connection:
            connection.send(self.x.tolist())


def fetched(address):
    with Client(address, authkey=KEY) as connection:
        return torch.tensor(connection.recv())


sites = [Site(number) for number in range(7)]
for site in sites:
    site.start()
rows = {site.number: fetched(site.listener.address) for site in sites}
torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for number in sorted(rows):
    loss = (net(rows[number])[:, 0] - rows[number].sum(1).sin()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(net.weight.tolist())
