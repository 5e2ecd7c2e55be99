import re


class WordTokenizer:
    """Lower-cased words and punctuation marks; rare ones become <unk>."""

    SPECIALS = ["<pad>", "<unk>", "<bos>", "<eos>"]

    def __init__(self, min_count=1):
        self.min_count = min_count
        self.stoi, self.itos = {}, []

    @staticmethod
    def split(line):
        return re.findall(r"[a-z]+|[.,!?]", line.lower())

    def fit(self, lines):
        words = [w for line in lines for w in self.split(line)]
        kept = {w for w in words if words.count(w) >= self.min_count}
        self.itos = self.SPECIALS + [w for w in kept if w not in self.SPECIALS]
        self.stoi = {w: i for i, w in enumerate(self.itos)}
        return self

    def encode(self, line):
        unk = self.stoi["<unk>"]
        ids = [self.stoi.get(w, unk) for w in self.split(line)]
        return [self.stoi["<bos>"], *ids, self.stoi["<eos>"]]

    def decode(self, ids):
        return " ".join(self.itos[i] for i in ids if i >= len(self.SPECIALS))

    def __len__(self):
        return len(self.itos)
