"""From rows of the database to one table of features per sample."""
import sqlite3

import numpy as np
import pandas as pd
import torch

from lims import ANALYTES

QUERY = """
SELECT s.id AS sample_id, s.well, s.taken_on, s.depth, s.aquifer, a.analyte, a.value
FROM samples AS s JOIN assays AS a ON a.sample_id = s.id
ORDER BY s.well, s.taken_on, a.analyte
"""


def read_samples(path):
    con = sqlite3.connect(path)
    rows = pd.read_sql(QUERY, con, parse_dates=["taken_on"])
    con.close()
    rows["value"] = rows["value"].fillna(rows.groupby("analyte")["value"].transform("median"))

    records = []
    for _, part in rows.groupby("sample_id", sort=False):
        head = part.iloc[0]
        record = dict(zip(part["analyte"], np.log(part["value"])))
        record["depth"] = np.log(head["depth"])
        angle = 2 * np.pi * head["taken_on"].dayofyear / 365.25
        record["season_sin"], record["season_cos"] = np.sin(angle), np.cos(angle)
        record["well"], record["aquifer"] = int(head["well"]), int(head["aquifer"])
        records.append(record)
    return pd.DataFrame.from_records(records)


def split_wells(table, share=0.25, seed=6):
    """Hold out whole wells, so that no well is on both sides."""
    wells = np.sort(table["well"].unique())
    chosen = np.random.default_rng(seed).choice(wells, int(share * len(wells)), replace=False)
    held = set(chosen.tolist())
    mask = table["well"].map(lambda w: w in held).to_numpy()
    return table[~mask], table[mask]


def tensors(table, mean, std):
    columns = [*ANALYTES, "depth", "season_sin", "season_cos"]
    x = ((table[columns] - mean) / std).to_numpy(np.float32)
    return torch.from_numpy(x), torch.tensor(table["aquifer"].to_numpy())


def scale_of(table):
    columns = [*ANALYTES, "depth", "season_sin", "season_cos"]
    return table[columns].mean().round(6), table[columns].std().round(6)
