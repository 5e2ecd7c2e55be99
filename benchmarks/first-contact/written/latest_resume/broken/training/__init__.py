from .checkpoint import CheckpointStore
from .settings import Settings
from .trainer import Trainer

__all__ = ["CheckpointStore", "Settings", "Trainer"]
