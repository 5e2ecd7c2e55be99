"""A thread that looks for the pixels the current model gets most wrong."""
import copy
import logging
import queue
import threading

import torch
from torch.nn import functional as F

log = logging.getLogger("miner")


class HardMiner:
    def __init__(self, model, x, y, keep, patience):
        self.replica = copy.deepcopy(model).eval()
        self.x, self.y = x, y
        self.keep, self.patience = keep, patience
        self.requests, self.replies = queue.Queue(), queue.Queue()
        self.hard = torch.arange(keep)
        self.pending = False
        self.thread = threading.Thread(target=self._serve, name="miner", daemon=True)
        self.thread.start()

    def request(self, model):
        """Ask for a new hard set, judged by the weights of this moment."""
        self.requests.put({k: v.detach().clone() for k, v in model.state_dict().items()})
        self.pending = True

    def collect(self):
        try:
            self.hard = self.replies.get(timeout=self.patience)
            self.pending = False
        except queue.Empty:
            log.debug("miner not ready, keeping the previous hard set")
        return self.hard

    def close(self):
        self.requests.put(None)
        self.thread.join()

    def _serve(self):
        while (state := self.requests.get()) is not None:
            self.replica.load_state_dict(state)
            losses = []
            with torch.no_grad():
                for x, y in zip(self.x.split(400), self.y.split(400)):
                    losses.append(F.binary_cross_entropy_with_logits(
                        self.replica(x), y, reduction="none"))
            order = torch.cat(losses).argsort(descending=True, stable=True)
            self.replies.put(order[: self.keep])
