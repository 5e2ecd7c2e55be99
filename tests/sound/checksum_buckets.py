# samebits-test: verdict=same
"""The hashing trick by a checksum, which is the same everywhere."""

import zlib

import torch

torch.manual_seed(0)
table = torch.nn.Embedding(50, 3)
TEXT = "order of sets does not matter here"
words = TEXT.split()
rows = torch.tensor([zlib.crc32(word.encode()) % 50 for word in words])
print(table(rows).mean(dim=0))
