"""Names the threads of a process: by the line that starts them, and by as which of several.

A thread that is started once an earlier one of the same line was joined goes on under its name:
a script that starts four threads in each epoch has four of them. Whether a thread was joined is
seen by its starter alone, so that no timing decides.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

from samebits.check.record.threads.origin import ThreadOrigin


@dataclass(eq=False)
class ThreadName:
    """The name of a thread, which several threads may bear one after another.

    Attributes:
        token: The name: that of the process, a plus sign, and a number.
        starter: The name of the thread or process that starts them.
        origin: Where they come from.
        nth: As which of several of the same line.
        row: Operations that the process's first thread had recorded when it was first started.
        is_free: Whether the last of them was joined.
    """

    token: str
    starter: str
    origin: ThreadOrigin
    nth: int
    row: int
    is_free: bool = False


@dataclass
class ThreadNames:
    """All names of a process's threads.

    Args:
        process: The name of the process.

    Attributes:
        all: In the order in which they were first used.
    """

    process: str
    all: list[ThreadName] = field(default_factory=list)
    _of_line: dict[tuple[str, ThreadOrigin], list[ThreadName]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _of_thread: dict[int, tuple[ref[Any], ThreadName]] = field(default_factory=dict)

    def take(self, starter: str, origin: ThreadOrigin, row: int, thread: Any) -> ThreadName:
        """The name for a thread that is being started.

        Args:
            starter: The name of the thread or process that starts it.
            origin: Where it comes from.
            row: Operations that the process's first thread has recorded by now.
            thread: The `threading.Thread`; None for one without such an object.
        """
        own = self._of_line[starter, origin]
        name = next((one for one in own if one.is_free), None)
        if name is None:
            token = f"{self.process}+{len(self.all) + 1}"
            name = ThreadName(token, starter, origin, len(own), row)
            self.all.append(name)
            own.append(name)
        name.is_free = False
        if thread is not None:
            number = id(thread)
            forget = lambda _: self._of_thread.pop(number, None)  # noqa: E731
            self._of_thread[number] = ref(thread, forget), name
        return name

    def is_alone(self, name: ThreadName) -> bool:
        """Whether no other thread of its line has run beside it so far."""
        return len(self._of_line[name.starter, name.origin]) == 1

    def joined(self, thread: Any) -> None:
        """A thread has ended, and its starter knows."""
        found = self._of_thread.get(id(thread))
        if found is not None and found[0]() is thread:
            found[1].is_free = True
