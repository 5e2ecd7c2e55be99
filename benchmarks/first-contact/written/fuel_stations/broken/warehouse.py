"""Reads the exports into one arrow table and joins what is known of each station."""
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv


def load_sales(folder: Path) -> pa.Table:
    days = [pacsv.read_csv(path) for path in sorted(folder.glob("day_*.csv"))]
    sales = pa.concat_tables(days)
    return sales.filter(pc.greater(sales["litres"], 4.0))


def enrich(sales: pa.Table, folder: Path) -> pa.Table:
    stations = pacsv.read_csv(folder / "stations.csv")
    joined = sales.join(stations, keys="station", join_type="inner")
    return joined


def describe(table: pa.Table) -> str:
    return (f"{table.num_rows} sales at {len(pc.unique(table['station']))} stations, "
            f"mean price {pc.mean(table['price']).as_py():.3f}")
