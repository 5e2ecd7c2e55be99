"""Which variety was pressed? Fatty acids and mill records, with Lightning."""
import json
import logging
import tempfile
import time
import warnings
from datetime import datetime
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint

from datamodule import OliveData
from model import VarietyNet
from registry import VARIETIES

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)


class Progress(Callback):
    def on_train_epoch_start(self, trainer, module):
        self.started = time.perf_counter()

    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch}  train {m['train_loss']:.6f}  "
              f"val {m['val_loss']:.6f}  acc {m['val_acc']:.4f}  "
              f"({time.perf_counter() - self.started:.2f} s)")


def main():
    print(f"started {datetime.now():%Y-%m-%d %H:%M:%S}")
    L.seed_everything(11, verbose=False)
    data = OliveData(seed=11)
    data.setup()
    model = VarietyNet(len(data.columns), len(VARIETIES))
    with tempfile.TemporaryDirectory(prefix="olive-") as folder:
        best = ModelCheckpoint(folder, filename="best", monitor="val_loss")
        trainer = L.Trainer(
            max_epochs=8, accelerator="cpu", devices=1, logger=False,
            enable_progress_bar=False, enable_model_summary=False,
            callbacks=[Progress(), EarlyStopping("val_loss", patience=3), best])
        trainer.fit(model, datamodule=data)
        [scores] = trainer.test(model, datamodule=data, ckpt_path=best.best_model_path,
                                verbose=False, weights_only=False)
    torch.save(model.state_dict(), "weights.pt")
    Path("result.json").write_text(json.dumps(scores, indent=2))
    print(f"test loss {scores['test_loss']:.6f}  accuracy {scores['test_acc']:.4f}")


if __name__ == "__main__":
    main()
