"""Readings of the dermatologists, kept in sqlite, and the consensus of them."""
import sqlite3
from collections import Counter
from itertools import groupby

DIAGNOSES = ["angioma", "carcinoma", "dermatofibroma", "keratosis", "lentigo", "melanoma", "naevus", "wart"]


def open_store(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE reading (lesion INTEGER, reader INTEGER, diagnosis TEXT, PRIMARY KEY (lesion, reader))")
    return db


def store_readings(db, rows):
    with db:
        db.executemany("INSERT INTO reading VALUES (?, ?, ?)", rows)


def majority(votes):
    """The diagnosis that most readers gave."""
    return max(set(votes), key=votes.count)


def consensus(db):
    """{lesion: index of the agreed diagnosis}, and how many were unanimous."""
    rows = db.execute("SELECT lesion, diagnosis FROM reading ORDER BY lesion, reader")
    agreed, unanimous = {}, 0
    for lesion, group in groupby(rows, key=lambda row: row[0]):
        votes = [diagnosis for _, diagnosis in group]
        unanimous += len(Counter(votes)) == 1
        agreed[lesion] = DIAGNOSES.index(majority(votes))
    return agreed, unanimous
