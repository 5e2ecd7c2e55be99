from datetime import date, timedelta

import numpy as np

SCHEMA = """
CREATE TABLE dwelling (id INTEGER PRIMARY KEY, district TEXT, rooms INTEGER, floor INTEGER, built INTEGER);
CREATE TABLE tenancy (
    id INTEGER PRIMARY KEY, dwelling INTEGER REFERENCES dwelling, rent REAL,
    started_on TEXT NOT NULL, ended_on TEXT
);
CREATE TABLE repair (tenancy INTEGER REFERENCES tenancy, reported_on TEXT);
CREATE INDEX repair_tenancy ON repair (tenancy);
"""

DISTRICTS = {"harbour": 0.9, "mill_lane": 1.2, "northgate": 1.0, "parkside": 1.5}
EXPORTED = date(2026, 10, 31)


def create_register(db, dwellings=700, seed=41):
    rng = np.random.default_rng(seed)
    db.executescript(SCHEMA)
    tenancy = 0
    names = list(DISTRICTS)
    for dwelling in range(dwellings):
        district = names[rng.integers(len(names))]
        rooms, floor = int(rng.integers(1, 6)), int(rng.integers(0, 7))
        built = int(rng.integers(1900, 2015))
        db.execute("INSERT INTO dwelling VALUES (?,?,?,?,?)", (dwelling, district, rooms, floor, built))
        start = date(2006, 1, 1) + timedelta(days=int(rng.integers(0, 1500)))
        while start < EXPORTED:
            tenancy += 1
            rent = 280 * rooms**0.8 * DISTRICTS[district] * rng.lognormal(0, 0.15)
            mean = 900 * DISTRICTS[district] * (0.7 + 0.15 * rooms)
            end = start + timedelta(days=int(mean * rng.weibull(1.3)) + 20)
            db.execute(
                "INSERT INTO tenancy VALUES (?,?,?,?,?)",
                (tenancy, dwelling, round(rent, 2), start.isoformat(),
                 end.isoformat() if end < EXPORTED else None),
            )
            for _ in range(rng.poisson(0.8)):
                day = start + timedelta(days=int(rng.integers(0, max(1, (min(end, EXPORTED) - start).days))))
                db.execute("INSERT INTO repair VALUES (?,?)", (tenancy, day.isoformat()))
            start = end + timedelta(days=int(rng.integers(10, 90)))
    db.commit()
