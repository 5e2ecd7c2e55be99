import pkgutil
from importlib import import_module

from .registry import BLOCKS, create

_PRIVATE = {"registry"}

for _info in pkgutil.iter_modules(__path__):
    if _info.name not in _PRIVATE:
        import_module(f".{_info.name}", __name__)

__all__ = ["BLOCKS", "create"]
