"""Named random streams: as many independent generators as a program needs, all from one seed.

Every stream is seeded by `numpy.random.SeedSequence(seed, spawn_key=…)`, whose spawn key is a
digest of the stream's kind, its name and the rank. The key is a digest, and not a counter, so that
a stream's numbers do not depend on which other streams were asked for, or in which order.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import weakref
from typing import TYPE_CHECKING, Any

from samebits.errors import UsageError
from samebits.training.control.generator_objects import generator_state, set_generator_state

if TYPE_CHECKING:
    import numpy as np
    import torch

#: Seeds are what `torch.manual_seed` takes without wrapping: 64 bits, unsigned.
SEED_LIMIT = 2**64

# Bytes of digest that enter a spawn key: 128 bits make an accidental collision hopeless.
_KEY_BYTES = 16


def checked_seed(seed: object) -> int:
    """Return `seed` as an `int`, or say why it is none.

    Args:
        seed: From 0 to 2**64 - 1; anything with `__index__`, such as a NumPy integer, but no bool.

    Raises:
        UsageError: Not an integer, or out of range.
    """
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise UsageError(
            f"The seed must be an integer, and is {seed!r} of type {type(seed).__name__}.",
            hint="Write for example seed_everything(0).",
        )
    value = int(seed.__index__())
    if not 0 <= value < SEED_LIMIT:
        raise UsageError(
            f"The seed must lie between 0 and 2**64 - 1, and is {value}.",
            hint=f"seed % 2**64 would be {value % SEED_LIMIT}.",
        )
    return value


def checked_rank(rank: object) -> int | None:
    """Return `rank` as an `int` of 0 or more, `None` as it is, or say why it is neither.

    Raises:
        UsageError: Not an integer, or negative.
    """
    if rank is None:
        return None
    if isinstance(rank, bool) or not hasattr(rank, "__index__"):
        raise UsageError(
            f"The rank must be an integer or None, and is {rank!r} of type {type(rank).__name__}.",
            hint="torch.distributed.get_rank() gives it; the launcher's RANK variable is a string.",
        )
    value = int(rank.__index__())
    if value < 0:
        raise UsageError(
            f"The rank must be 0 or more, and is {value}.",
            hint="A process outside every process group has no rank: leave it away.",
        )
    return value


def seed_sequence(seed: int, kind: str, name: str, rank: int | None) -> np.random.SeedSequence:
    """Return the seed sequence of the stream (`kind`, `name`, `rank`) of `seed`.

    The fields are joined with their lengths, so that ("a", "bc") and ("ab", "c") differ.
    """
    import numpy as np

    fields = (kind, name, "" if rank is None else str(rank))
    encoded = b"".join(
        len(raw).to_bytes(8, "little") + raw
        for raw in (field.encode("utf-8", "surrogatepass") for field in fields)
    )
    digest = hashlib.blake2b(encoded, digest_size=_KEY_BYTES, person=b"samebits.stream").digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, _KEY_BYTES, 4)]
    return np.random.SeedSequence(seed, spawn_key=tuple(words))


def seed_bits(sequence: np.random.SeedSequence, bits: int) -> int:
    """Return `bits` bits (a multiple of 32) of `sequence` as one unsigned integer."""
    words = sequence.generate_state(bits // 32)
    return sum(int(word) << (32 * i) for i, word in enumerate(words))


class Streams:
    """Generators by name, all derived from one seed.

    The same name gives the same generator *object* within one `Streams`, further along its stream:
    asking for it inside a loop does not start the numbers over. Another process with the same seed
    and rank gets the same numbers under the same name.

    Names never collide, whatever they are: the kind of generator, the name and the rank all enter
    the derivation. The device of a torch generator does not, so that moving from one GPU to another
    changes no numbers.

    Args:
        seed: From 0 to 2**64 - 1.
        rank: This process's rank; ranks never share a stream. `None` outside distributed runs,
            which is not the same as rank 0.

    Attributes:
        seed: The seed as given.
        rank: The rank as given.
        failures: What could not be seeded, one sentence each; filled by `seed_everything`.
        number: Counts all streams that were made in this process.

    Raises:
        UsageError: The seed or the rank is not usable.
    """

    def __init__(self, seed: int, *, rank: int | None = None) -> None:
        self.seed = checked_seed(seed)
        self.rank = checked_rank(rank)
        self.failures: tuple[str, ...] = ()
        self._numpy: dict[str, np.random.Generator] = {}
        self._python: dict[str, random.Random] = {}
        self._torch: dict[tuple[str, str], torch.Generator] = {}
        self.number = next(_numbers)
        _alive[self.number] = self

    def __repr__(self) -> str:
        rank = "" if self.rank is None else f", rank={self.rank}"
        return f"Streams({self.seed}{rank})"

    def sequence(self, kind: str, name: str) -> np.random.SeedSequence:
        """Return the seed sequence of one stream, to seed a generator of another library.

        Args:
            kind: What is seeded, for example "jax". "numpy", "torch" and "python" are taken.
            name: The stream's name.
        """
        return seed_sequence(self.seed, kind, _checked_name(name), self.rank)

    def numpy(self, name: str) -> np.random.Generator:
        """Return the NumPy generator (PCG64) called `name`.

        Raises:
            UsageError: The name is no string, or empty.
        """
        import numpy as np

        if _checked_name(name) not in self._numpy:
            self._numpy[name] = np.random.default_rng(self.sequence("numpy", name))
        return self._numpy[name]

    def torch(self, name: str, device: torch.device | str = "cpu") -> torch.Generator:
        """Return the torch generator called `name` on `device`; imports torch.

        Args:
            name: The stream's name.
            device: Where the generator lives; a tensor on a GPU needs a generator on that GPU.

        Raises:
            UsageError: The name is no string, or empty.
            RuntimeError: torch has no such device.
        """
        import torch

        key = (_checked_name(name), str(torch.device(device)))
        if key not in self._torch:
            generator = torch.Generator(device=device)
            generator.manual_seed(seed_bits(self.sequence("torch", name), 64))
            self._torch[key] = generator
        return self._torch[key]

    def python(self, name: str) -> random.Random:
        """Return the `random.Random` called `name`.

        Raises:
            UsageError: The name is no string, or empty.
        """
        if _checked_name(name) not in self._python:
            seed = seed_bits(self.sequence("python", name), 256)
            self._python[name] = random.Random(seed)
        return self._python[name]

    def capture(self) -> dict[str, Any]:
        """The states of all generators that were asked for, by "kind/name", as plain data."""
        return {key: generator_state(generator) for key, generator in sorted(self._made().items())}

    def restore(self, states: dict[str, Any]) -> None:
        """Put every generator back to `states`; those that it does not name start over.

        Args:
            states: What `capture` returned, in this process or in another.

        Raises:
            UsageError: A state is not one of these streams'.
        """
        for key, state in states.items():
            set_generator_state(self._by_key(key), state)
        untouched = Streams(self.seed, rank=self.rank)
        for key, generator in self._made().items():
            if key not in states:
                set_generator_state(generator, generator_state(untouched._by_key(key)))

    def _by_key(self, key: str) -> Any:
        kind, _, name = key.partition("/")
        if kind == "python":
            return self.python(name)
        if kind == "numpy":
            return self.numpy(name)
        if kind.startswith("torch@"):
            return self.torch(name, kind.removeprefix("torch@"))
        raise UsageError(f"there is no kind of stream {kind!r}")

    def _made(self) -> dict[str, Any]:
        made: dict[str, Any] = {f"python/{name}": g for name, g in self._python.items()}
        made.update({f"numpy/{name}": g for name, g in self._numpy.items()})
        made.update({f"torch@{device}/{name}": g for (name, device), g in self._torch.items()})
        return made


_alive: weakref.WeakValueDictionary[int, Streams] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def live_streams() -> dict[int, Streams]:
    """All streams that are alive in this process, by their numbers."""
    return dict(sorted(_alive.items()))


def stream_names() -> dict[int, str]:
    """What to call each of the living streams in another process of the same program.

    Returns:
        Number → "seed 0", "seed 0, rank 1"; of several with one seed the newest has that name,
        and the others are "seed 0 #2", "seed 0 #3", going back.
    """
    names: dict[int, str] = {}
    taken: dict[str, int] = {}
    for number, streams in reversed(live_streams().items()):
        rank = "" if streams.rank is None else f", rank {streams.rank}"
        name = f"seed {streams.seed}{rank}"
        taken[name] = taken.get(name, 0) + 1
        names[number] = name if taken[name] == 1 else f"{name} #{taken[name]}"
    return names


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise UsageError(
            f"A stream's name must be a string that is not empty, and is {name!r}.",
            hint='Write for example streams.numpy("augment").',
        )
    return name
