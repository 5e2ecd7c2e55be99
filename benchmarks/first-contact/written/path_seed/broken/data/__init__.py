from .dataset import ImageFolder
from .prepare import prepare

__all__ = ["ImageFolder", "prepare"]
