from dataclasses import dataclass, fields


@dataclass
class Config:
    seed: int = 17
    documents: int = 600
    max_words: int = 400
    width: int = 24
    epochs: int = 6
    lr: float = 0.02

    @classmethod
    def parse(cls, text):
        """Reads 'key: value' lines; unknown keys are an error."""
        known = {f.name: f.type for f in fields(cls)}
        values = {}
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if line:
                key, value = (part.strip() for part in line.split(":", 1))
                values[key] = {"int": int, "float": float}.get(known[key], known[key])(value)
        return cls(**values)
