"""Names as bags of character n-grams, each put into one of a fixed number of buckets."""
import zlib
from functools import lru_cache

import torch


class GramBuckets:
    def __init__(self, buckets=2048, shortest=2, longest=4):
        self.buckets = buckets
        self.lengths = range(shortest, longest + 1)

    @lru_cache(maxsize=None)
    def bucket(self, gram):
        return zlib.crc32(gram.encode("utf-8")) % self.buckets

    def encode(self, name):
        text = f"<{name.lower()}>"
        return [self.bucket(text[i:i + n]) for n in self.lengths for i in range(len(text) - n + 1)]

    def collate(self, rows):
        """A flat list of buckets, the start of each name in it, and the labels."""
        flat, starts = [], []
        for name, _ in rows:
            starts.append(len(flat))
            flat.extend(self.encode(name))
        labels = [label for _, label in rows]
        return torch.tensor(flat), torch.tensor(starts), torch.tensor(labels)

    def usage(self):
        info = self.bucket.cache_info()
        return f"{info.currsize} different n-grams, {info.hits} cache hits"
