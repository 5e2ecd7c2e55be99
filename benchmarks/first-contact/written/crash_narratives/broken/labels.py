"""From annotator votes to one label for each narrative."""

from collections import Counter


def settle(votes):
    """The cause that most annotators named."""
    return max(set(votes), key=votes.count)


def agreement(corpus):
    """Share of narratives on which all readers say the same."""
    return sum(len(set(item.votes)) == 1 for item in corpus) / len(corpus)


def build_labels(corpus):
    settled = [settle(item.votes) for item in corpus]
    names = sorted(set(settled))
    position = {name: index for index, name in enumerate(names)}
    return [position[name] for name in settled], names, Counter(settled)
