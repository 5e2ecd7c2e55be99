import collections
import json
import re

WORD = re.compile(r"[a-z]+")


class Vocabulary:
    def __init__(self, words):
        self.words = ["<unk>", *words]
        self.index = {w: i for i, w in enumerate(self.words)}

    @classmethod
    def from_folder(cls, folder, min_count):
        counts = collections.Counter()
        for path in folder.iterdir():
            with path.open() as lines:
                for line in lines:
                    counts.update(WORD.findall(json.loads(line)["text"].lower()))
        kept = {w for w, n in counts.items() if n >= min_count}
        return cls(sorted(kept, key=lambda w: (-counts[w], w)))

    def __len__(self):
        return len(self.words)

    def encode(self, text):
        return [self.index.get(w, 0) for w in WORD.findall(text.lower())]
