import os
from pathlib import Path

for name in os.listdir("."):
    if name.endswith(".tmp"):
        os.remove(name)
print(len(os.listdir(".")), "x" in os.listdir("."), not os.listdir("."))
sizes = {path.name: path.stat().st_size for path in Path().iterdir()}
total = sum(path.stat().st_size for path in Path().rglob("*.py"))
