"""Draws from the flow while it learns, beside the training, so that one can look at dunes early."""
import copy
import queue
import threading

import torch

from dunes import LENGTH, slip_angle


class Gallery(threading.Thread):
    def __init__(self, folder, seed=99, sheets=30, per_sheet=256):
        super().__init__(name="gallery")
        self.folder, self.seed, self.sheets, self.per_sheet = folder, seed, sheets, per_sheet
        self.waiting = queue.Queue()
        self.angles = {}

    def hang(self, epoch, model):
        self.waiting.put((epoch, copy.deepcopy(model).eval()))

    def close(self):
        self.waiting.put(None)
        self.join()

    @torch.no_grad()
    def draw(self, model):
        """The same noise for every epoch, so that the dunes can be followed from sheet to sheet."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            sheets = [model.decode(torch.randn(self.per_sheet, LENGTH)) for _ in range(self.sheets)]
        return torch.cat(sheets)

    def run(self):
        while (item := self.waiting.get()) is not None:
            epoch, model = item
            dunes = self.draw(model)
            self.angles[epoch] = slip_angle(dunes).median().item()
            torch.save(dunes[:64].clone(), self.folder / f"dunes_{epoch:02d}.pt")
