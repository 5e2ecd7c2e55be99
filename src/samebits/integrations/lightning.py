"""Lightning: what its checkpoints lack for a resume that is exact.

    trainer = lightning.Trainer(callbacks=[ExactResume(), ModelCheckpoint(...)])
    trainer.fit(model, samebits.DataLoader(dataset, seed=0, ...), ckpt_path=...)

Lightning (2.2 and later) saves the place of a loader that has `state_dict`, as samebits.DataLoader
has. It saves no generator's state, and loads a loader's only in the middle of an epoch.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from samebits.errors import UsageError
from samebits.integrations.generator_state import generators_from_state, generators_to_state

_KEY = "samebits.generators"

if TYPE_CHECKING:

    class Callback:
        """The part of Lightning's Callback that is used here."""

else:

    def _callback_class() -> type:
        for name in ("lightning.pytorch", "pytorch_lightning"):
            try:
                return importlib.import_module(name).Callback
            except ModuleNotFoundError as error:
                if error.name is None or not name.startswith(error.name):
                    raise
        raise UsageError(
            "samebits.integrations.lightning needs Lightning, which is not installed.",
            hint="pip install lightning",
        )

    Callback = _callback_class()


class ExactResume(Callback):
    """Saves the global generators in Lightning's checkpoints, and puts them back on a resume.

    A train loader that does not say where it stands is named in a warning when training starts:
    its epochs begin anew on a resume.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loaded: dict[str, Any] | None = None

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]) -> None:
        """Add the states of all generators."""
        checkpoint[_KEY] = generators_to_state()
        _finish_epoch(trainer, checkpoint)

    def on_load_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]) -> None:
        """Keep the states for the moment when everything else is ready."""
        self._loaded = checkpoint.get(_KEY)
        if self._loaded is None:
            warnings.warn(
                "The checkpoint holds no states of generators: it was saved without ExactResume, "
                "and the run that goes on draws other numbers.",
                UserWarning,
                stacklevel=2,
            )

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Set the loaders where Lightning has not, and name those that begin anew."""
        _set_waiting_loaders(trainer)
        for loader in _train_loaders(trainer):
            if not hasattr(loader, "state_dict"):
                warnings.warn(
                    f"The train loader ({type(loader).__name__}) does not say where it stands, so "
                    "that a resumed epoch begins anew. samebits.DataLoader does.",
                    UserWarning,
                    stacklevel=2,
                )

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Put the generators back: what follows in this epoch draws as it would have."""
        self._put_back()

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """In the middle of an epoch, put the generators back before the first batch."""
        self._put_back()

    def _put_back(self) -> None:
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            generators_from_state(loaded)


def _train_loaders(trainer: Any) -> list[Any]:
    combined = getattr(trainer.fit_loop, "_combined_loader", None)
    return list(getattr(combined, "flattened", ()))


def _set_waiting_loaders(trainer: Any) -> None:
    """Load the loaders' states that Lightning has read and not used.

    It uses them in the middle of an epoch only. After a checkpoint from the end of one, a loader
    would begin with its first epoch again.
    """
    fit_loop = trainer.fit_loop
    waiting = getattr(fit_loop, "_combined_loader_states_to_load", None)
    if not waiting:
        return
    stateful = [one for one in _train_loaders(trainer) if hasattr(one, "load_state_dict")]
    for loader, state in zip(stateful, waiting, strict=False):
        loader.load_state_dict(state)
    fit_loop._combined_loader_states_to_load = []
    if getattr(fit_loop, "_data_fetcher", None) is not None:
        iter(fit_loop._data_fetcher)  # it holds an iterator from before


def _finish_epoch(trainer: Any, checkpoint: dict[str, Any]) -> None:
    """Say that a loader is through with its epoch when its last batch was used.

    Lightning counts batches and does not ask for one more, from which a loader learns of its end.
    """
    fit_loop = checkpoint.get("loops", {}).get("fit_loop", {})
    progress = getattr(getattr(trainer.fit_loop, "epoch_loop", None), "batch_progress", None)
    if progress is None or not progress.is_last_batch:
        return
    for state in fit_loop.get("state_dict", {}).get("combined_loader", []):
        if str(state.get("schema", "")).startswith("samebits.loader/"):
            state["finished"] = True
