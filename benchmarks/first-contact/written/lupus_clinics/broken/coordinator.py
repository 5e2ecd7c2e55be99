"""Passes one model from clinic to clinic (cyclic weight transfer)."""
from multiprocessing.connection import Client


class Coordinator:
    def __init__(self, key):
        self.key = key
        self.directory = {}

    def ask(self, address, **request):
        with Client(address, authkey=self.key) as connection:
            connection.send(request)
            return connection.recv()

    def enrol(self, address):
        self.directory[address] = self.ask(address, do="card")

    def route(self):
        return sorted(self.directory)

    def cycle(self, weights, epochs, lr):
        total, patients = 0.0, 0
        for address in self.route():
            weights, loss = self.ask(address, do="train", weights=weights, epochs=epochs, lr=lr)
            total += loss * self.directory[address]["patients"]
            patients += self.directory[address]["patients"]
        return weights, total / patients

    def dismiss(self):
        for address in self.route():
            self.ask(address, do="stop")
