"""Does the pilot's readback repeat the clearance? Correct, wrong value, or item missing."""
import json
import logging
import os
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from uuid import uuid4

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.metrics import accuracy_score, f1_score
from transformers import DataCollatorWithPadding, Trainer, TrainerCallback, TrainingArguments

from encoder import build_model
from phraseology import LABELS, make_exchanges
from tokens import ExchangeSet, build_tokenizer

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(name)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("readback")


@dataclass(frozen=True)
class Config:
    seed: int = 17
    exchanges: int = 1500
    hidden: int = 48
    layers: int = 2
    batch_size: int = 32
    epochs: float = 3
    lr: float = 2e-3


class Pace(TrainerCallback):
    def on_epoch_begin(self, args, state, control, **kwargs):
        self.t0 = time.perf_counter()

    def on_epoch_end(self, args, state, control, **kwargs):
        log.info("epoch %.0f done after %.1fs (step %d)", state.epoch, time.perf_counter() - self.t0, state.global_step)


def score(prediction):
    guesses = np.argmax(prediction.predictions, axis=-1)
    return {
        "accuracy": accuracy_score(prediction.label_ids, guesses),
        "macro_f1": f1_score(prediction.label_ids, guesses, average="macro"),
    }


def main():
    cfg = Config()
    out = Path("runs") / f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{uuid4().hex[:4]}"
    texts = make_exchanges(cfg.exchanges, cfg.seed)
    held_out = len(texts) // 5
    tokenizer = build_tokenizer(texts[held_out:])
    train, test = ExchangeSet(texts[held_out:], tokenizer), ExchangeSet(texts[:held_out], tokenizer)
    log.info("%d exchanges to train on, %d to test, %d words", len(train), len(test), len(tokenizer))

    args = TrainingArguments(
        output_dir=str(out),
        run_name=out.name,
        seed=cfg.seed,
        use_cpu=True,
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=128,
        learning_rate=cfg.lr,
        weight_decay=0.01,
        warmup_steps=20,
        lr_scheduler_type="cosine",
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        dataloader_pin_memory=False,
    )
    trainer = Trainer(
        model=build_model(tokenizer, cfg.hidden, cfg.layers),
        args=args,
        train_dataset=train,
        eval_dataset=test,
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        compute_metrics=score,
        callbacks=[Pace()],
    )
    outcome = trainer.train()
    log.info("trained in %.1fs", outcome.metrics["train_runtime"])

    metrics = trainer.evaluate()
    kept = {key: round(metrics[key], 6) for key in ("eval_loss", "eval_accuracy", "eval_macro_f1")}
    kept["labels"] = list(LABELS)
    trainer.save_model(str(out / "model"))
    (out / "results.json").write_text(json.dumps(kept, indent=1))
    print(f"accuracy {kept['eval_accuracy']:.4f}  macro-F1 {kept['eval_macro_f1']:.4f}  loss {kept['eval_loss']:.5f}")


if __name__ == "__main__":
    main()
