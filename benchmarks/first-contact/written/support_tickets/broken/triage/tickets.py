import random
import uuid
import zlib
from dataclasses import dataclass, field

CALM = ["question", "feature", "typo", "docs", "colour", "someday", "idea"]
URGENT = ["down", "outage", "crash", "lost", "deadline", "production", "leak"]
OTHER = ["the", "server", "report", "we", "have", "customer", "page", "today", "with", "our"]


def new_id():
    return uuid.uuid4().hex


@dataclass
class Ticket:
    subject: list
    urgent: bool
    id: str = field(default_factory=new_id)

    @property
    def fold(self):
        """0 to 9, always the same for the same ticket."""
        return zlib.crc32(self.id.encode()) % 10


def fetch(count, seed):
    rng = random.Random(seed)
    result = []
    for _ in range(count):
        urgent = rng.random() < 0.35
        mostly, rarely = (URGENT, CALM) if urgent else (CALM, URGENT)
        subject = rng.choices(mostly, k=2) + rng.choices(rarely, k=1) + rng.choices(OTHER, k=5)
        result.append(Ticket(subject, urgent))
    return result


def split(tickets, valid_folds=(0, 1)):
    train = [t for t in tickets if t.fold not in valid_folds]
    valid = [t for t in tickets if t.fold in valid_folds]
    return train, valid
