"""Random streams by purpose. Another spec or another purpose gives unrelated numbers."""
import hashlib

import torch


def _digest(*parts):
    text = "\n".join(str(p) for p in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "little")


def stream(spec, purpose):
    if purpose.startswith("data"):
        return torch.Generator().manual_seed(_digest(spec.seed, purpose))
    return torch.Generator().manual_seed(_digest(spec, purpose))
