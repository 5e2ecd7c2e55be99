from .config import Config
from .corpus import make_corpus
from .vocab import Vocabulary

__all__ = ["Config", "Vocabulary", "make_corpus"]
