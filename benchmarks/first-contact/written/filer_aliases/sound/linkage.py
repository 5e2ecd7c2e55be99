"""Links the spellings under which a company files to one entity."""
import re
from collections import defaultdict
from dataclasses import dataclass, field

SUFFIX = re.compile(r"\b(inc|corp|co|ltd|plc|llc|holdings|group)\b\.?")


@dataclass(eq=False)
class Entity:
    spellings: list[str] = field(default_factory=list)
    filings: int = 0

    def absorb(self, other: "Entity") -> None:
        self.spellings.extend(other.spellings)
        self.filings += other.filings


def key_of(name: str) -> str:
    plain = SUFFIX.sub("", name.lower().replace("&", " and "))
    return " ".join(re.sub(r"[^a-z0-9 ]", "", plain).split())


class Linker:
    def __init__(self) -> None:
        self.entity_of: dict[str, Entity] = {}

    def add(self, name: str) -> None:
        entity = self.entity_of.get(name)
        if entity is None:
            entity = self.entity_of[name] = Entity([name])
        entity.filings += 1

    def link(self) -> None:
        blocks: dict[str, list[str]] = defaultdict(list)
        for name in self.entity_of:
            blocks[key_of(name)].append(name)
        for names in blocks.values():
            head = self.entity_of[names[0]]
            for name in names[1:]:
                other = self.entity_of[name]
                if other is head:
                    continue
                head.absorb(other)
                for spelling in other.spellings:
                    self.entity_of[spelling] = head

    def entities(self) -> list[Entity]:
        return list(dict.fromkeys(self.entity_of.values()))

    def codes(self) -> dict[str, int]:
        number = {entity: i for i, entity in enumerate(self.entities())}
        return {name: number[entity] for name, entity in self.entity_of.items()}
