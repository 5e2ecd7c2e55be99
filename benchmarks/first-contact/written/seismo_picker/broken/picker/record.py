"""What is known of a run: the experiment it belongs to, and a name of its own."""
import uuid
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunRecord:
    experiment: str
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def name(self):
        return f"{self.experiment}-{self.token}"
