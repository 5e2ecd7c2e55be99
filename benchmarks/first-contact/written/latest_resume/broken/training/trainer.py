import time

import torch
from torch import nn


class Trainer:
    def __init__(self, settings, model, store):
        self.settings, self.model, self.store = settings, model, store
        self.optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
        self.step = 0
        if settings.resume:
            self.restore()

    def restore(self):
        saved = self.store.load()
        if saved is None:
            return
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["rng"])
        self.step = saved["step"]

    def fit(self, x, y):
        last, began = self.step + self.settings.steps, time.time()
        while self.step < last:
            idx = torch.randint(len(x), (64,))
            loss = nn.functional.cross_entropy(self.model(x[idx]), y[idx])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
            if self.step % self.settings.save_every == 0:
                self.store.save(self.step, model=self.model.state_dict(), optimizer=self.optimizer.state_dict(),
                                rng=torch.get_rng_state())
        print(f"{self.settings.steps / (time.time() - began):.0f} steps/s")
        return loss.item()
