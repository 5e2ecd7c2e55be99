"""The laboratory's database: kiln batches, their oxide analyses, crushing strength of the mortar."""
import sqlite3

SCHEMA = """
CREATE TABLE kiln (
    kiln_id   INTEGER PRIMARY KEY,
    site      TEXT NOT NULL,
    fuel      TEXT NOT NULL
);
CREATE TABLE sample (
    sample_id INTEGER PRIMARY KEY,
    kiln_id   INTEGER NOT NULL REFERENCES kiln,
    burn_temp REAL NOT NULL,
    blaine    REAL NOT NULL
);
CREATE TABLE assay (
    sample_id NOT NULL REFERENCES sample,
    oxide     TEXT NOT NULL,
    percent   REAL NOT NULL,
    PRIMARY KEY (sample_id, oxide)
) WITHOUT ROWID;
CREATE TABLE crushing (
    sample_id NOT NULL REFERENCES sample,
    days      INTEGER NOT NULL,
    mpa       REAL NOT NULL,
    PRIMARY KEY (sample_id, days)
) WITHOUT ROWID;
"""

OXIDES = ("CaO", "SiO2", "Al2O3", "Fe2O3", "SO3", "MgO")
AGES = (2, 7, 28)


def connect(path):
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def create(connection):
    connection.executescript(SCHEMA)


def add_kiln(connection, site, fuel):
    return connection.execute("INSERT INTO kiln (site, fuel) VALUES (?, ?)", (site, fuel)).lastrowid


def add_sample(connection, kiln_id, burn_temp, blaine, oxides, strengths):
    (sample_id,) = connection.execute(
        "INSERT INTO sample (kiln_id, burn_temp, blaine) VALUES (?, ?, ?) RETURNING sample_id",
        (kiln_id, burn_temp, blaine),
    ).fetchone()
    connection.executemany(
        "INSERT INTO assay VALUES (?, ?, ?)",
        [(sample_id, oxide, percent) for oxide, percent in zip(OXIDES, oxides)],
    )
    connection.executemany(
        "INSERT INTO crushing VALUES (?, ?, ?)",
        [(sample_id, days, mpa) for days, mpa in zip(AGES, strengths)],
    )
    return sample_id


def feature_rows(connection):
    """One row for each sample: its conditions, its oxides and its three strengths."""
    oxide_columns = ", ".join(
        f"max(percent) FILTER (WHERE oxide = '{oxide}') AS {oxide}" for oxide in OXIDES)
    strength_columns = ", ".join(f"max(mpa) FILTER (WHERE days = {days}) AS mpa_{days}" for days in AGES)
    return connection.execute(f"""
        WITH oxides AS (SELECT sample_id, {oxide_columns} FROM assay GROUP BY sample_id),
             strengths AS (SELECT sample_id, {strength_columns} FROM crushing GROUP BY sample_id)
        SELECT sample.sample_id, fuel, burn_temp, blaine,
               {", ".join(OXIDES)}, {", ".join(f"mpa_{days}" for days in AGES)}
        FROM sample
        JOIN kiln USING (kiln_id)
        JOIN oxides USING (sample_id)
        JOIN strengths USING (sample_id)
        ORDER BY sample.sample_id
    """).fetchall()
