"""Synthetic police crash narratives, each read by a handful of annotators."""

import random
from dataclasses import dataclass

CUES = {
    "rear_end": "stopped traffic brake bumper following slowed queue tailgating".split(),
    "lane_change": "merge mirror signal blind drifted overtaking swerved alongside".split(),
    "junction": "signal turning yield amber crossing oncoming stopped priority".split(),
    "run_off": "gravel ditch curve drifted guardrail asleep ice swerved".split(),
    "animal": "deer dusk swerved brake woods elk carcass ditch".split(),
}
FILLER = (
    "unit driver the was at on road vehicle stated northbound southbound damage officer "
    "scene lane speed weather dry wet passenger witness arrived about approximately and"
).split()
STOPWORDS = {"the", "was", "at", "on", "and", "about"}


@dataclass
class Narrative:
    number: str
    text: str
    truth: str
    votes: list


def annotate(truth, rng):
    """Two or four readers; each of them is wrong now and then."""
    causes = list(CUES)
    readers = rng.choice((2, 2, 4))
    return [truth if rng.random() < 0.68 else rng.choice(causes) for _ in range(readers)]


def write_corpus(count, seed):
    rng = random.Random(seed)
    causes = list(CUES)
    corpus = []
    for index in range(count):
        truth = rng.choice(causes)
        words = rng.choices(FILLER, k=rng.randint(14, 30)) + rng.choices(CUES[truth], k=rng.randint(2, 5))
        rng.shuffle(words)
        corpus.append(Narrative(f"CR-{index:05d}", " ".join(words), truth, annotate(truth, rng)))
    return corpus
