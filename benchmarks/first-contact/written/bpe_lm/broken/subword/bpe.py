"""Byte-pair encoding, after Sennrich et al. (2016).

Merges are learned on word types, not on tokens: frequent words would otherwise eat the whole table.
"""
from collections import Counter

END = "</w>"


def join(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


class Bpe:
    def __init__(self, merges):
        self.merges = merges
        self.cache = {}
        self.ids = {}

    @classmethod
    def learn(cls, lines, table=60):
        types = {word for line in lines for word in line.split()}
        words = [list(word) + [END] for word in types]
        merges = []
        for _ in range(table):
            pairs = Counter(p for symbols in words for p in zip(symbols, symbols[1:]))
            best, count = pairs.most_common(1)[0]
            if count < 2:
                break
            merges.append(best)
            words = [join(symbols, best) for symbols in words]
        bpe = cls(merges)
        alphabet = sorted({s for w in types for s in w} | {END} | {a + b for a, b in merges})
        bpe.ids = {symbol: i for i, symbol in enumerate(alphabet)}
        return bpe

    def split(self, word):
        if word not in self.cache:
            symbols = list(word) + [END]
            for pair in self.merges:
                symbols = join(symbols, pair)
            self.cache[word] = symbols
        return self.cache[word]

    def encode(self, line):
        return [self.ids[s] for word in line.split() for s in self.split(word)]
