"""Fixed parts of the data: a claim stays in its part when more claims are exported."""

import hashlib


def part_of(path):
    digest = hashlib.md5(path.name.encode()).hexdigest()
    bucket = int(digest, 16) % 100
    if bucket < 70:
        return "train"
    return "valid" if bucket < 85 else "test"


def split(paths):
    parts = {"train": [], "valid": [], "test": []}
    for path in paths:
        parts[part_of(path)].append(path)
    return parts
