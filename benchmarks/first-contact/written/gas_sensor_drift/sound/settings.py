import argparse
from dataclasses import dataclass, fields


@dataclass
class Settings:
    hours: int = 2200
    window: int = 24
    hidden: int = 40
    dropout: float = 0.15
    jitter: float = 0.02
    lr: float = 3e-3
    clip: float = 1.0
    batch: int = 64
    epochs: int = 6
    seed: int = 5
    threads: int = 1
    out: str = "out"

    @classmethod
    def from_command_line(cls):
        parser = argparse.ArgumentParser(description="gas sensor drift")
        for f in fields(cls):
            parser.add_argument(f"--{f.name}", type=f.type, default=f.default)
        return cls(**vars(parser.parse_args()))
