"""Hashed character n-grams."""
import zlib
from functools import lru_cache

import torch

SKIP = {"<", ">", "<>"}


def ngrams(word: str, lo: int = 1, hi: int = 3) -> list[str]:
    padded = f"<{word}>"
    grams = []
    for n in range(lo, hi + 1):
        grams += [padded[i:i + n] for i in range(len(padded) - n + 1)]
    return [g for g in grams if g not in SKIP]


class NgramHasher:
    def __init__(self, buckets: int):
        self.buckets = buckets
        self._word_ids = lru_cache(maxsize=20_000)(self._compute)

    def bucket(self, gram: str) -> int:
        return zlib.crc32(gram.encode("utf-8")) % self.buckets

    def _compute(self, word: str) -> tuple[int, ...]:
        return tuple(self.bucket(g) for g in ngrams(word))

    def batch(self, words: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        flat: list[int] = []
        offsets: list[int] = []
        for word in words:
            offsets.append(len(flat))
            flat.extend(self._word_ids(word))
        return torch.tensor(flat), torch.tensor(offsets)

    def cache_info(self):
        return self._word_ids.cache_info()
