"""The shop's database: items with titles, shoppers, purchases."""
import sqlite3
import zlib

import numpy as np

NOUNS = ["kettle", "lamp", "rug", "shelf", "mug", "blanket", "planter", "clock", "chair", "vase", "basket", "mirror"]
STYLES = ["oak", "steel", "linen", "rattan", "glass", "ceramic", "wool", "brass"]
COLOURS = ["white", "sage", "navy", "rust", "black", "sand"]

SCHEMA = """
CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, noun INTEGER, style INTEGER, listed_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE shopper (id INTEGER PRIMARY KEY, joined_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE purchase (shopper INTEGER, item INTEGER, week INTEGER, PRIMARY KEY (shopper, item)) WITHOUT ROWID;
"""

NEGATIVES = """
SELECT shopper, item FROM (
    SELECT s.id AS shopper, i.id AS item,
           row_number() OVER (PARTITION BY s.id ORDER BY random()) AS place
    FROM shopper AS s CROSS JOIN item AS i
    WHERE NOT EXISTS (SELECT 1 FROM purchase AS p WHERE p.shopper = s.id AND p.item = i.id)
)
WHERE place <= :count
ORDER BY shopper, place
"""


def scramble(*numbers):
    return zlib.crc32(b"/".join(b"%d" % n for n in numbers))


def open_shop(path, shoppers=150, items=240, seed=8):
    rng = np.random.default_rng(seed)
    db = sqlite3.connect(path)
    db.create_function("scramble", 3, scramble, deterministic=True)
    db.executescript(SCHEMA)
    nouns, styles = rng.integers(len(NOUNS), size=items), rng.integers(len(STYLES), size=items)
    for number, (noun, style) in enumerate(zip(nouns.tolist(), styles.tolist())):
        title = f"{COLOURS[rng.integers(len(COLOURS))]} {STYLES[style]} {NOUNS[noun]}"
        db.execute("INSERT INTO item (id, title, noun, style) VALUES (?, ?, ?, ?)", (number, title, noun, style))
    for shopper in range(shoppers):
        db.execute("INSERT INTO shopper (id) VALUES (?)", (shopper,))
        taste = rng.gumbel(size=len(NOUNS))[nouns] + 1.5 * rng.gumbel(size=len(STYLES))[styles] + 0.3 * rng.gumbel(size=items)
        bought = np.argsort(-taste, kind="stable")[:18]
        rng.shuffle(bought)
        db.executemany("INSERT INTO purchase VALUES (?, ?, ?)", [(shopper, int(i), w) for w, i in enumerate(bought)])
    db.commit()
    return db


def titles(db):
    return [row[0] for row in db.execute("SELECT title FROM item ORDER BY id")]


def purchases(db, first_week, last_week):
    query = "SELECT shopper, item FROM purchase WHERE week BETWEEN ? AND ? ORDER BY shopper, week"
    return db.execute(query, (first_week, last_week)).fetchall()


def negatives(db, draw, count):
    """For every shopper, `count` items never bought; others for each draw."""
    return db.execute(NEGATIVES, {"draw": draw, "count": count}).fetchall()
