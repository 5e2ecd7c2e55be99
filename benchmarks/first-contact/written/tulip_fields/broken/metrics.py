"""Counts and rates for each class."""
import numpy as np


def confusion_counts(guess: np.ndarray, truth: np.ndarray, classes: int):
    hits = np.bincount(truth[guess == truth], minlength=classes)
    support = np.bincount(truth, minlength=classes)
    return hits, support


def per_class_recall(hits: np.ndarray, support: np.ndarray) -> np.ndarray:
    """The share of each class that was found; classes that do not occur are not divided by zero."""
    return np.divide(hits, support, where=support > 0)
