from .callbacks import Callback, History, TimeBudget
from .space import Space, choice, loguniform

__all__ = ["Callback", "History", "TimeBudget", "Space", "choice", "loguniform"]
