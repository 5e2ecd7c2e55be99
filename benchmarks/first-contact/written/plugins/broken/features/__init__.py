"""Feature extractors. Every module in this folder is a plugin; it is found on import."""
import importlib
import os

from .base import REGISTRY, feature

SKIP = {"__init__", "base"}


def discover():
    here = os.path.dirname(__file__)
    names = {entry[:-3] for entry in os.listdir(here) if entry.endswith(".py")}
    for name in names - SKIP:
        importlib.import_module(f"{__name__}.{name}")
    return REGISTRY


__all__ = ["REGISTRY", "discover", "feature"]
