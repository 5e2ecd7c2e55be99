# samebits-test: verdict=same
"""Settings go through JSON; the keys are sorted, and lists keep their order."""

import json

import torch

settings = {"width": 3, "lr": 0.1, "layers": [4, 5, 6], "tags": sorted({"a", "b", "c"})}
read = json.loads(json.dumps(settings, sort_keys=True))
torch.manual_seed(len(read["tags"]))
x = torch.randn(read["width"])
for n in read["layers"]:
    x = x - read["lr"] * x.sin() * n
print(x)
