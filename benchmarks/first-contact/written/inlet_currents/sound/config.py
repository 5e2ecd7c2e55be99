"""Settings of the ensemble and of its members."""
import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class MemberConfig:
    name: str
    activation: str
    width: int
    lr: float
    dropout: float = 0.1

    def seed(self, base: int) -> int:
        """Every member has a stream of its own, wherever it stands in the list."""
        return (base + zlib.crc32(repr(self).encode())) % 2**31


MEMBERS = [
    MemberConfig("ebb-narrow", "tanh", 24, 4e-3),
    MemberConfig("ebb-wide", "relu", 64, 2e-3),
    MemberConfig("flood-gelu", "gelu", 48, 3e-3, dropout=0.05),
    MemberConfig("slack-silu", "silu", 32, 3e-3, dropout=0.2),
]
