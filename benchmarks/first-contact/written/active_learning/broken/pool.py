import math


class Sample:
    __slots__ = ("features", "label", "uncertainty")

    def __init__(self, features, label):
        self.features = features
        self.label = label
        self.uncertainty = math.inf

    def __repr__(self):
        return f"Sample(label={self.label}, uncertainty={self.uncertainty:.3f})"


class Pool:
    """Keeps track of what has been labelled so far."""

    def __init__(self, samples):
        self.samples = list(samples)
        self.labelled = []
        self.open = set(self.samples)

    def annotate(self, chosen):
        for s in chosen:
            self.open.remove(s)
            self.labelled.append(s)

    def most_uncertain(self, n):
        return sorted(self.open, key=lambda s: s.uncertainty, reverse=True)[:n]

    def unlabelled(self):
        return [s for s in self.open]
