import os, json, glob
from pathlib import Path

labels = sorted({json.load(open(f))["label"] for f in glob.glob("*.json")})
idx = {l: i for i, l in enumerate(labels)}
for p in sorted(Path("raw").iterdir()):
    os.rename(p, f"out/{p.name}")
print(sum(1 for _ in glob.glob("*.txt")))
for f in glob.glob("/tmp/cache/*"):
    os.remove(f)
