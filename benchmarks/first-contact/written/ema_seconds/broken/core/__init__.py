from .averaging import MovingAverage
from .hooks import Hook, History, Timer
from .loop import Loop

__all__ = ["History", "Hook", "Loop", "MovingAverage", "Timer"]
