"""One label per interval out of what several loggers wrote down."""
from collections import Counter


def majority(calls):
    """The rock most loggers called."""
    return max(set(calls), key=calls.count)


def agreement(calls):
    """Share of the loggers that made the most frequent call."""
    return max(Counter(calls).values()) / len(calls)


def label_intervals(intervals, min_calls=2):
    """(interval, label, weight) for every interval that enough loggers looked at."""
    labelled = []
    for interval in intervals:
        calls = list(interval.calls)
        if len(calls) < min_calls:
            continue
        labelled.append((interval, majority(calls), agreement(calls)))
    return labelled


def classes_of(labelled):
    return sorted({label for _, label, _ in labelled})
