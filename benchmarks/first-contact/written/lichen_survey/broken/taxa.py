"""Brings the names of several checklists together."""
from collections import Counter, defaultdict


class Synonymy:
    def __init__(self):
        self.links = defaultdict(set)
        self.usage = Counter()

    def read(self, checklist):
        for name, accepted in checklist:
            self.links[name].add(accepted)
            self.links[accepted].add(name)
            self.usage[name] += 1

    def cluster(self, start):
        found, stack = {start}, [start]
        while stack:
            for other in self.links[stack.pop()]:
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def resolve(self):
        """Maps every name to the one that most checklists have for its cluster."""
        preferred = {}
        for name in list(self.links):
            if name in preferred:
                continue
            group = self.cluster(name)
            best = max(group, key=self.usage.__getitem__)
            preferred.update((member, best) for member in group)
        return preferred


class Vocabulary:
    def __init__(self, preferred):
        self.preferred = preferred
        self.terms = sorted(set(preferred.values()))
        self.index = {term: k for k, term in enumerate(self.terms)}

    def __len__(self):
        return len(self.terms)

    def encode(self, names):
        return [self.index[self.preferred[name]] for name in names if name in self.preferred]
