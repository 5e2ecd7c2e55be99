"""Hashed bag-of-words features of courtroom utterances."""
import re
from functools import lru_cache

WORD = re.compile(r"[a-z']+")
DIM = 2048
STOP = frozenset("the a an of to and in that was is it".split())


@lru_cache(maxsize=50_000)
def bucket(token):
    return 1 + hash(token) % (DIM - 1)


def tokens(text):
    words = [w for w in WORD.findall(text.lower()) if w not in STOP]
    return words + [f"{a}_{b}" for a, b in zip(words, words[1:])]


def encode(row):
    speaker, text, label = row
    return [bucket("speaker=" + speaker)] + [bucket(t) for t in tokens(text)], label
