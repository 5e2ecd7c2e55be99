"""Assay sheets, one CSV file for each batch that a laboratory hands in."""
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
import pandas as pd

ELEMENTS = ["Cu", "Fe", "S", "As", "Mo", "Zn"]


class SheetStore:
    """A folder of sheets. A sheet is written under a passing name, so that no reader finds half of one."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.lock = threading.Lock()
        self.rows = 0

    def add(self, batch: int, sheet: pd.DataFrame) -> Path:
        handle, name = tempfile.mkstemp(dir=self.folder, prefix="sheet_", suffix=".csv.part")
        with os.fdopen(handle, "w") as out:
            sheet.to_csv(out, index=False)
        final = Path(name).with_suffix("")
        os.replace(name, final)
        with self.lock:
            self.rows += len(sheet)
        return final

    def load(self) -> pd.DataFrame:
        sheets = [pd.read_csv(path) for path in sorted(self.folder.glob("sheet_*.csv"))]
        table = pd.concat(sheets, ignore_index=True)
        if len(table) != self.rows:
            raise RuntimeError(f"{self.rows} rows were added, {len(table)} were found")
        return table


def assay(batch: int, rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng((seed, batch))
    bias = rng.normal(scale=0.08, size=len(ELEMENTS))
    values = rng.lognormal(mean=0.0, sigma=0.5, size=(rows, len(ELEMENTS))) + bias
    sheet = pd.DataFrame(values.round(4), columns=ELEMENTS)
    sheet["recovery"] = (0.9 - 0.1 * sheet["As"] + 0.05 * sheet["Cu"] * sheet["S"]
                         + rng.normal(scale=0.03, size=rows)).round(4)
    sheet.insert(0, "batch", batch)
    return sheet
