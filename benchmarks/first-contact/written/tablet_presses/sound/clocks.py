import logging
import time

from lightning.pytorch.callbacks import Callback

log = logging.getLogger("press.clock")


class EpochClock(Callback):
    """Writes how long each epoch took; nothing depends on it."""

    def on_train_epoch_start(self, trainer, pl_module):
        self.started = time.monotonic()

    def on_train_epoch_end(self, trainer, pl_module):
        seconds = time.monotonic() - self.started
        rate = trainer.num_training_batches / max(seconds, 1e-9)
        log.info("epoch %d: %.2fs, %.0f batches/s, step %d", trainer.current_epoch, seconds, rate, trainer.global_step)
