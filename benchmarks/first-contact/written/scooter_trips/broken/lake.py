"""The trip lake: Parquet, one folder per zone, one file per zone and day."""
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema([
    ("day", pa.int32()), ("zone", pa.string()), ("hour", pa.int8()), ("weekend", pa.bool_()),
    ("temp", pa.float32()), ("rain", pa.float32()), ("trips", pa.int32()),
])


def append_day(root, day, frame):
    """Add the hires of one day; the earlier days stay as they are."""
    table = pa.Table.from_pandas(frame, schema=SCHEMA, preserve_index=False)
    pq.write_to_dataset(
        table,
        root_path=root,
        partition_cols=["zone"],
        compression="zstd",
    )


def load_trips(root, columns=None):
    """Every row of the lake as one frame."""
    table = pq.read_table(root, columns=columns, partitioning="hive")
    frame = table.to_pandas()
    frame["zone"] = frame["zone"].astype(str)
    return frame
