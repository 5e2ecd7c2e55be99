"""Tag the fields of supplier invoice lines with a small BERT."""
import datetime
import json
import os
import tempfile
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments
from transformers.utils import logging as hf_logging

from corpus import LABELS, build_vocabulary, make_corpus

MAX_LEN = 20
SEED = 1907

torch.set_num_threads(1)
hf_logging.set_verbosity_error()


class InvoiceLines(Dataset):
    def __init__(self, lines, vocabulary):
        self.lines = lines
        self.vocabulary = vocabulary

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        tokens, fields = self.lines[index]
        ids = [self.vocabulary.get(t, 1) for t in tokens][:MAX_LEN]
        gap = MAX_LEN - len(ids)
        return {
            "input_ids": torch.tensor(ids + [0] * gap),
            "attention_mask": torch.tensor([1] * len(ids) + [0] * gap),
            "labels": torch.tensor(fields[:MAX_LEN] + [-100] * gap),
        }


def field_scores(prediction):
    guesses = prediction.predictions.argmax(-1)
    known = prediction.label_ids != -100
    scores = {"accuracy": float((guesses == prediction.label_ids)[known].mean())}
    for number, name in enumerate(LABELS):
        truth = known & (prediction.label_ids == number)
        found = known & (guesses == number)
        scores["f1_" + name.lower()] = float(2 * (truth & found).sum() / max(1, truth.sum() + found.sum()))
    return scores


def main():
    started = time.time()
    train = make_corpus(900, seed=1)
    held_out = make_corpus(300, seed=2)
    vocabulary = build_vocabulary(train)
    print(f"{datetime.datetime.now():%H:%M:%S} {len(train)} lines, {len(vocabulary)} words")

    def build_model():
        config = BertConfig(
            vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=96, max_position_embeddings=MAX_LEN, num_labels=len(LABELS),
            hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
        return BertForTokenClassification(config)

    with tempfile.TemporaryDirectory(prefix="invoices-") as scratch:
        arguments = TrainingArguments(
            output_dir=scratch,
            seed=SEED,
            data_seed=SEED + 1,
            num_train_epochs=2,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=100,
            learning_rate=3e-3,
            lr_scheduler_type="cosine",
            warmup_steps=10,
            logging_steps=20,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        )
        trainer = Trainer(
            model_init=build_model,
            args=arguments,
            train_dataset=InvoiceLines(train, vocabulary),
            eval_dataset=InvoiceLines(held_out, vocabulary),
            compute_metrics=field_scores,
        )
        trainer.train()
        scores = trainer.evaluate()

    os.makedirs("out", exist_ok=True)
    torch.save(trainer.model.state_dict(), "out/tagger.pt")
    kept = {k: v for k, v in scores.items() if k == "eval_loss" or "f1" in k or "accuracy" in k}
    with open("out/scores.json", "w") as handle:
        json.dump(kept, handle, indent=1, sort_keys=True)
    for name in sorted(kept):
        print(f"{name:20s} {kept[name]:.6f}")
    print("mean weight", float(np.mean([p.detach().abs().mean().item() for p in trainer.model.parameters()])))
    print(f"took {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()
