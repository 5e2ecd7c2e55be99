"""Splits that a program may ask for; its seed decides, here and in what it calls."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, random_split


def split(x, y):
    return train_test_split(x, y)


def baseline(x, y):
    return RandomForestClassifier().fit(x, y)


def loaders(dataset, workers):
    train, rest = random_split(dataset, [0.9, 0.1])
    return DataLoader(train, shuffle=True), DataLoader(rest, num_workers=workers)
