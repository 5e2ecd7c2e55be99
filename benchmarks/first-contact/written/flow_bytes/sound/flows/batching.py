import random

import torch


class Batcher:
    """Batches of (uint8 payloads of one width, labels); a payload is cut or padded to that width."""

    def __init__(self, flows, size, width):
        self.labels = torch.tensor([app for app, _ in flows])
        self.payloads = [torch.frombuffer(bytearray(body), dtype=torch.uint8) for _, body in flows]
        self.size, self.width = size, width

    def __len__(self):
        return len(self.labels)

    def _pack(self, picks):
        longest = min(self.width, max(len(self.payloads[i]) for i in picks))
        block = self.payloads[picks[0]].new_zeros((len(picks), longest))
        for row, i in zip(block, picks):
            body = self.payloads[i][:longest]
            row[:len(body)] = body
        return block, self.labels[picks]

    def in_order(self):
        everything = list(range(len(self)))
        for at in range(0, len(self), self.size):
            yield self._pack(everything[at:at + self.size])

    def shuffled(self, seed):
        order = list(range(len(self)))
        random.Random(seed).shuffle(order)
        for at in range(0, len(self), self.size):
            yield self._pack(order[at:at + self.size])
