import argparse
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass
class Settings:
    name: str = "spirals"
    seed: int = 15
    steps: int = 150
    save_every: int = 50
    lr: float = 0.005
    width: int = 32
    resume: bool = True

    @property
    def scratch(self):
        return Path(tempfile.gettempdir()) / f"training-{self.name}"

    @classmethod
    def from_command_line(cls):
        parser = argparse.ArgumentParser()
        for f in fields(cls):
            if f.type is bool:
                parser.add_argument(f"--{f.name}", action=argparse.BooleanOptionalAction, default=f.default)
            else:
                parser.add_argument("--" + f.name.replace("_", "-"), type=f.type, default=f.default)
        return cls(**vars(parser.parse_args()))
