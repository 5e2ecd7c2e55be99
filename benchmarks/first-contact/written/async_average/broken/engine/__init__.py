from .averaging import WeightAverage
from .trainer import Trainer

__all__ = ["Trainer", "WeightAverage"]
