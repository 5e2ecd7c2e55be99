"""A content-addressed archive: every parcel of records is one file, named by its digest."""
import gzip
import hashlib
import json
from itertools import islice
from pathlib import Path


class Archive:
    def __init__(self, root):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def put(self, records):
        lines = [json.dumps(record, sort_keys=True) for record in records]
        blob = gzip.compress("\n".join(lines).encode(), compresslevel=6, mtime=0)
        digest = hashlib.sha256(blob).hexdigest()
        path = self.root / f"{digest[:20]}.jsonl.gz"
        if not path.exists():
            path.write_bytes(blob)
        return path.name

    def put_all(self, records, parcel_size):
        records = iter(records)
        names = []
        while parcel := list(islice(records, parcel_size)):
            names.append(self.put(parcel))
        return names

    def parcels(self):
        return sorted(path.name for path in self.root.glob("*.jsonl.gz"))

    def get(self, name):
        body = gzip.decompress((self.root / name).read_bytes()).decode()
        return [json.loads(line) for line in body.splitlines()]

    @staticmethod
    def bucket(name, buckets):
        """A parcel stays in its bucket however many others are added later."""
        return int(name[:8], 16) % buckets
