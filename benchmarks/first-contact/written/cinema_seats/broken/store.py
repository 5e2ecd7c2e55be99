"""Bookings of a small cinema in SQLite."""

import random
import sqlite3

SCHEMA = """
CREATE TABLE shows (show INTEGER PRIMARY KEY, film INTEGER, weekday INTEGER, hour INTEGER);
CREATE TABLE seats (seat INTEGER PRIMARY KEY, line INTEGER, place INTEGER);
CREATE TABLE bookings (show INTEGER, seat INTEGER, PRIMARY KEY (show, seat)) WITHOUT ROWID;
"""

FREE = """
SELECT shows.show, seats.seat FROM shows CROSS JOIN seats
LEFT JOIN bookings ON bookings.show = shows.show AND bookings.seat = seats.seat
WHERE bookings.seat IS NULL
"""


class Store:
    def __init__(self, path, seed):
        self.db = sqlite3.connect(path)
        self.rng = random.Random(seed)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.db.close()

    def fill(self, shows, lines, places):
        rng = random.Random(self.rng.random())
        self.db.executescript(SCHEMA)
        seats = [(line * places + place, line, place) for line in range(lines) for place in range(places)]
        with self.db:
            self.db.executemany("INSERT INTO seats VALUES (?, ?, ?)", seats)
            for show in range(shows):
                film, weekday, hour = rng.randrange(9), rng.randrange(7), rng.choice([15, 18, 21])
                self.db.execute("INSERT INTO shows VALUES (?, ?, ?, ?)", (show, film, weekday, hour))
                pull = 0.15 + 0.05 * (weekday >= 4) + 0.1 * (hour == 21) + 0.02 * film
                for seat, line, place in seats:
                    liking = pull + 0.04 * line - 0.05 * abs(place - places / 2)
                    if rng.random() < liking:
                        self.db.execute("INSERT INTO bookings VALUES (?, ?)", (show, seat))

    def booked(self):
        return self.db.execute("SELECT show, seat FROM bookings ORDER BY show, seat").fetchall()

    def free(self, count):
        """Places that stayed empty, drawn afresh at every call."""
        return self.db.execute(FREE + "ORDER BY random() LIMIT ?", (count,)).fetchall()

    def table(self, name):
        return self.db.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall()
