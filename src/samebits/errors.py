"""The errors of samebits, one hierarchy: what was wrong, where, and what to do."""

from typing import Any


class SamebitsError(Exception):
    """Base of every error that samebits raises on purpose.

    Args:
        message: What was wrong, and where.
        hint: What to do about it; shown on a line of its own.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n{hint}")
        self.message = message
        self.hint = hint


class UsageError(SamebitsError, ValueError):
    """An argument, an option or a path that cannot be used."""


class TraceError(SamebitsError):
    """A run folder that cannot be read or written: missing, damaged, or of another schema."""


class ControlError(SamebitsError):
    """A switch or a generator that could not be set when the caller insisted on it."""


class RecordError(SamebitsError):
    """Watching a run failed for a reason that lies in samebits or its surroundings."""


class CheckpointError(SamebitsError):
    """A checkpoint that cannot be written, read or applied; nothing in memory was changed."""


class DamagedCheckpointError(CheckpointError):
    """A checkpoint whose files are missing, cut off or altered."""


class ResumeWarning(UserWarning):
    """A resume that went on although something is not as it was when the checkpoint was saved."""


class NotSameError(SamebitsError, AssertionError):
    """Two runs that had to give the same bits did not.

    Args:
        message: What was wrong, and where.
        hint: What to do about it.
        verdict: What comparing their operations came to, where these differ.
    """

    def __init__(self, message: str, *, hint: str | None = None, verdict: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.verdict = verdict


class NotExactError(SamebitsError, RuntimeError):
    """An operation inside `samebits.exact()` whose bits could depend on the machine.

    Args:
        message: What was wrong, and where.
        hint: What to do about it.
        why: What is missing, without the operation's name and place.
    """

    def __init__(self, message: str, *, hint: str | None = None, why: str = "") -> None:
        super().__init__(message, hint=hint)
        self.why = why
