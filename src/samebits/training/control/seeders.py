"""Seeders of further libraries, found by the entry point group `samebits.seeders`.

A package offers one in its `pyproject.toml`:

```toml
[project.entry-points."samebits.seeders"]
mylibrary = "mylibrary.random:seed"
```

where `mylibrary.random.seed(seed: int) -> None` seeds whatever the library draws from. It is called
with the same number as `torch.manual_seed`: 64 bits, unsigned.
"""

from __future__ import annotations

#: The entry point group; part of the public interface.
GROUP = "samebits.seeders"


def run_seeders(seed: int) -> tuple[str, ...]:
    """Call every registered seeder with `seed`, in order of name.

    A seeder that cannot be loaded, or that raises, must not keep the others from being run, nor the
    program from starting: it is reported.

    Args:
        seed: From 0 to 2**64 - 1.

    Returns:
        One sentence for each seeder that failed.
    """
    # Costs more to import than all the rest of this part, and is needed only here.
    from importlib import metadata

    failures = []
    # Sorted, because the order of installed packages is the order of a directory listing.
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        try:
            entry.load()(seed)
        except Exception as error:
            failures.append(
                f"The seeder {entry.name!r} ({entry.value}) failed: {type(error).__name__}: {error}"
            )
    return tuple(failures)
