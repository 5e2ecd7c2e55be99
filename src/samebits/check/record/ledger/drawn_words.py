"""Names of runs that are drawn, letter by letter or of words and numbers.

The one is `"".join(random.choices(ascii_lowercase, k=6))`. What is drawn so may be a result as
well: a sequence that a model samples, a sentence. So few and short words count, out of an alphabet,
each letter as likely as another, and drawn by a generator that nobody has seeded: what a seed gives
is no name of one run alone.

The other is `f"{random.choice(COLOURS)}-{random.randint(100, 999)}"`. Here only what was drawn is
noted; `samebits.core.catalog.drawn_names` finds the names.
"""

from __future__ import annotations

import random
from typing import Any

from samebits.check.record.function_hooks import CALL, DRAWN, hook_function
from samebits.check.record.ledger.watching import Watching
from samebits.core import _native

_FEWEST_LETTERS, _MOST_LETTERS = 4, 16
_ALPHABET = range(10, 129)
"""So many letters. Fewer are no alphabet: "ACGT" are four bases."""
_SEQUENCES = frozenset(map(frozenset, ("ACDEFGHIKLMNPQRSTVWY", "ABCDGHKMNRSTVWY")))
"""The letters of proteins, and those of nucleic acids (IUPAC)."""
_MOST_WORDS = 4
"""Whoever draws more draws no name."""
_MOST_SPELT = 64
"""Single letters of one run."""
_MOST_KNOWN = 64
"""Alphabets that are remembered."""
_MOST_NOTED = 64
"""Choices out of a list that are looked at: a name is drawn as a run begins."""
_UNSEEDED = 0


class DrawnWords:
    """The words that one process has drawn out of alphabets.

    Args:
        native: The process's ledger, which knows what was seeded.
    """

    def __init__(self, native: _native.Ledger) -> None:
        self._native = native
        self._words: list[str] = []
        self._letters: list[str] = []
        self._known: dict[str, bool] = {}
        self._noted = 0

    def listen(self, watching: Watching, recorder: _native.Recorder) -> None:
        """Hear of what Python's generators choose.

        Args:
            watching: The ledger's watches.
            recorder: The process's recorder.
        """
        if getattr(random, "_inst", None) is None:
            return  # a script may have a module of this name of its own
        told = {
            "choices": self._chosen,
            "sample": self._chosen,
            "choice": self._letter,
        }
        for name, after in told.items():
            watching.undo_with(hook_function(recorder, random.Random, name, CALL, after))
            _rebind(watching, name)
        watching.undo_with(hook_function(recorder, random.Random, "randrange", DRAWN))
        _rebind(watching, "randrange")

    @property
    def words(self) -> tuple[str, ...]:
        """What may be names, in the order in which they were drawn; none where there are many."""
        return tuple(self._words) if len(self._words) <= _MOST_WORDS else ()

    @property
    def spelt(self) -> str:
        """Single letters one after another, of which a name is a part; "" where there are many."""
        return "".join(self._letters) if len(self._letters) <= _MOST_SPELT else ""

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        alphabet = args[1] if len(args) > 1 else kwargs.get("population")
        if type(alphabet) is not str:
            self._note(args[0], result)
            return
        if not self._is_alphabet(alphabet):
            return
        weights = [*args[2:], *(kwargs.get(name) for name in ("weights", "cum_weights", "counts"))]
        # The third thing that `sample` is given is a number of letters.
        alike = all(one is None or isinstance(one, int) for one in weights)
        short = _FEWEST_LETTERS <= len(result) <= _MOST_LETTERS
        if alike and short and len(self._words) <= _MOST_WORDS and self._draws_unseeded(args[0]):
            word = "".join(result)
            if not word.isdecimal():
                self._words.append(word)

    def _letter(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        alphabet = args[1] if len(args) > 1 else kwargs.get("seq")
        if type(alphabet) is not str:
            self._note(args[0], result)
            return
        if len(self._letters) > _MOST_SPELT:
            return
        if self._is_alphabet(alphabet) and self._draws_unseeded(args[0]):
            self._letters.append(result)

    def _note(self, generator: Any, result: Any) -> None:
        self._noted += 1
        if self._noted <= _MOST_NOTED and self._draws_unseeded(generator):
            self._native.add_chosen(result)

    def _is_alphabet(self, letters: str) -> bool:
        """Whether somebody has written letters for names: digits alone make a number."""
        if len(letters) not in _ALPHABET:
            return False
        known = self._known.get(letters)
        if known is None:
            each = frozenset(letters)
            known = letters.isascii() and letters.isalnum() and not letters.isdecimal()
            known = known and len(each) in _ALPHABET and each not in _SEQUENCES
            if len(self._known) < _MOST_KNOWN:
                self._known[letters] = known
        return known

    def _draws_unseeded(self, generator: Any) -> bool:
        system = isinstance(generator, random.SystemRandom)
        return system or self._native.seeded(generator) == _UNSEEDED


def _rebind(watching: Watching, name: str) -> None:
    """`random.choice` is a method of the shared generator, taken before the class had a hook."""
    of_module = vars(random).get(name)
    now = getattr(random._inst, name)
    if getattr(of_module, "__func__", None) is getattr(now, "__func__", now):
        return
    setattr(random, name, now)

    def undo() -> None:
        if vars(random).get(name) is now:
            setattr(random, name, of_module)

    watching.undo_with(undo)
