"""Token ids on disk, one shard per raw file, so that a restart need not tokenise again."""
import hashlib
import json
import os
import tempfile
import time

import torch

from .corpus import TEAMS


class TokenCache:
    def __init__(self, folder, vocab, max_age):
        self.folder, self.vocab, self.max_age = folder, vocab, max_age
        self.manifest = folder / "manifest.json"

    def _digest(self, raw):
        h = hashlib.sha1("\n".join(self.vocab.words).encode())
        for path in sorted(raw.glob("*.jsonl")):
            h.update(path.name.encode())
            h.update(path.read_bytes())
        return h.hexdigest()

    def stale(self, raw):
        if not self.manifest.exists():
            return True
        if time.time() - self.manifest.stat().st_mtime > self.max_age:
            return True
        return json.loads(self.manifest.read_text())["digest"] != self._digest(raw)

    def build(self, raw):
        self.folder.mkdir(parents=True, exist_ok=True)
        shards, total = [], 0
        for path in sorted(raw.glob("*.jsonl")):
            rows = []
            for line in path.read_text().splitlines():
                ticket = json.loads(line)
                rows.append((self.vocab.encode(ticket["text"]), TEAMS.index(ticket["team"])))
            # jobs on the same node may share this folder: never write to a name that another one could take
            fd, name = tempfile.mkstemp(prefix="shard-", suffix=".pt", dir=self.folder)
            with os.fdopen(fd, "wb") as out:
                torch.save(rows, out)
            shards.append(os.path.basename(name))
            total += len(rows)
        self.manifest.write_text(json.dumps({"digest": self._digest(raw), "shards": shards, "rows": total}))
        return total

    def load(self):
        meta = json.loads(self.manifest.read_text())
        examples = []
        for shard in sorted(self.folder.glob("shard-*.pt")):
            examples.extend(torch.load(shard))
        if len(examples) != meta["rows"]:
            raise RuntimeError(f"{self.folder}: {len(examples)} rows, the manifest says {meta['rows']}")
        return examples
