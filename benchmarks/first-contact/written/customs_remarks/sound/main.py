"""Assign customs remarks to tariff chapters with a small BERT and the Trainer."""
import json
import tempfile
import time
from functools import partial
from pathlib import Path

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from classifier import build_classifier, collate, scores
from declarations import Vocabulary, make_remarks

SEED = 2024
torch.set_num_threads(1)


class Report(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        self.started = time.time()

    def on_log(self, args, state, control, logs=None, **kwargs):
        since = time.time() - self.started
        if "loss" in logs:
            print(f"step {state.global_step:4d}  loss {float(logs['loss']):.6f}  [{since:.1f} s]")
        elif "eval_loss" in logs:
            print(f"step {state.global_step:4d}  eval {float(logs['eval_loss']):.6f}  "
                  f"accuracy {float(logs['eval_accuracy']):.4f}")


def training_arguments(folder):
    return TrainingArguments(
        output_dir=folder, seed=SEED, num_train_epochs=3, per_device_train_batch_size=32,
        per_device_eval_batch_size=128, learning_rate=2e-3, warmup_steps=10,
        weight_decay=0.01, logging_steps=15, eval_strategy="epoch", save_strategy="epoch",
        save_total_limit=1, load_best_model_at_end=True, metric_for_best_model="eval_loss",
        report_to=[], use_cpu=True, disable_tqdm=True, dataloader_num_workers=0)


def main():
    train_rows = make_remarks(1500, seed=SEED)
    eval_rows = make_remarks(300, seed=SEED + 1)
    vocabulary = Vocabulary(train_rows)
    train = [vocabulary.encode(row) for row in train_rows]
    held_out = [vocabulary.encode(row) for row in eval_rows]
    print(f"{len(train)} remarks, {len(vocabulary)} tokens")

    with tempfile.TemporaryDirectory(prefix="remarks-") as folder:
        trainer = Trainer(
            model_init=partial(build_classifier, vocabulary),
            args=training_arguments(folder), data_collator=collate,
            train_dataset=train, eval_dataset=held_out,
            compute_metrics=scores, callbacks=[Report()])
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        final = trainer.evaluate()

    torch.save(trainer.model.state_dict(), "weights.pt")
    kept = {name: final[name] for name in ("eval_loss", "eval_accuracy")}
    Path("result.json").write_text(json.dumps(kept, indent=2))
    print(f"kept model: loss {kept['eval_loss']:.6f}, accuracy {kept['eval_accuracy']:.4f}")


if __name__ == "__main__":
    main()
