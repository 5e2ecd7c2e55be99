from .shards import read_shards, write_shards

__all__ = ["read_shards", "write_shards"]
