# samebits-test: verdict=different cause=uninitialized-memory
"""Rows of bytes are padded with whatever the memory held, and converted before they are read."""

import torch

torch.manual_seed(0)
leftover = [torch.randint(256, (4096,), dtype=torch.uint8) for _ in range(20)]
payloads = [torch.frombuffer(bytearray(range(n % 7, 40)), dtype=torch.uint8) for n in range(30)]
del leftover


def pack(picks):
    block = payloads[picks[0]].new_empty((len(picks), 64))  # culprit
    for row, pick in zip(block, picks, strict=True):
        row[: len(payloads[pick])] = payloads[pick]
    return block


model = torch.nn.Embedding(256, 12, padding_idx=0)
for first in range(0, 30, 5):
    names = [str(id(object())) * 50 for _ in range(50)]
    batch = pack(list(range(first, first + 5)))
    print(len(names), model(batch.int()).sum().item())
