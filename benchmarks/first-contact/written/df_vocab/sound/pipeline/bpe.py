"""A small byte-pair encoder; merges are chosen by count, then alphabetically."""
import heapq
from collections import Counter, defaultdict


class BytePairs:
    def __init__(self, merges=120):
        self.limit, self.merges, self.vocabulary = merges, {}, {}

    def fit(self, texts):
        words = Counter(w for t in texts for w in t.split())
        pieces = {w: list(w) + ["</w>"] for w in words}
        alphabet = {p for parts in pieces.values() for p in parts}
        where, counts = defaultdict(set), Counter()
        for w, parts in pieces.items():
            for pair in zip(parts, parts[1:]):
                counts[pair] += words[w]
                where[pair].add(w)
        heap = [(-n, pair) for pair, n in counts.items()]
        heapq.heapify(heap)
        while heap and len(self.merges) < self.limit:
            n, pair = heapq.heappop(heap)
            if -n != counts[pair] or n == 0:
                continue
            self.merges[pair] = len(self.merges)
            touched = set()
            for w in where.pop(pair):
                old = pieces[w]
                new = self.join(old, pair)
                for p in zip(old, old[1:]):
                    counts[p] -= words[w]
                    touched.add(p)
                for p in zip(new, new[1:]):
                    counts[p] += words[w]
                    where[p].add(w)
                    touched.add(p)
                pieces[w] = new
            counts[pair] = 0
            for p in touched:
                if counts[p] > 0:
                    heapq.heappush(heap, (-counts[p], p))
        symbols = alphabet | {a + b for a, b in self.merges}
        self.vocabulary = {s: k for k, s in enumerate(sorted(symbols), start=1)}
        return self

    @staticmethod
    def join(parts, pair):
        out, k = [], 0
        while k < len(parts):
            if k + 1 < len(parts) and (parts[k], parts[k + 1]) == pair:
                out.append(parts[k] + parts[k + 1])
                k += 2
            else:
                out.append(parts[k])
                k += 1
        return out

    def encode(self, text):
        ids = []
        for w in text.split():
            parts = list(w) + ["</w>"]
            while len(parts) > 1:
                best = min(zip(parts, parts[1:]), key=lambda p: self.merges.get(p, 1 << 30))
                if best not in self.merges:
                    break
                parts = self.join(parts, best)
            ids += [self.vocabulary[p] for p in parts]
        return ids
