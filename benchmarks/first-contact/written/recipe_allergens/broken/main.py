"""Allergen group of a recipe: a tiny BERT trained from scratch."""
import json
import os
import time
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HOME"] = str(HERE / "cache")
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import datasets
import numpy as np
import torch
from transformers import (BertConfig, BertForSequenceClassification, DataCollatorWithPadding,
                          Trainer, TrainerCallback, TrainingArguments, set_seed)
from transformers.trainer_callback import PrinterCallback

from corpus import LABELS, write_recipes
from vocab import add_glossary, base_tokenizer, strip_stop_words

SEED = 31


class Progress(TrainerCallback):
    def __init__(self):
        self.began = time.time()

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            print(f"[{time.time() - self.began:5.1f}s] step {state.global_step:4d} "
                  f"loss {float(logs['loss']):.4f}", flush=True)


def load():
    (HERE / "cache").mkdir(exist_ok=True)
    path = HERE / "cache" / "recipes.jsonl"
    if not path.exists():
        write_recipes(path, 2200, seed=8)
    return datasets.load_dataset("json", data_files=str(path), split="train",
                                 cache_dir=str(HERE / "cache"))


def prepare(data, tokenizer):
    def encode(rows):
        texts = [strip_stop_words(t) for t in rows["text"]]
        return tokenizer(texts, truncation=True, max_length=40)

    data = data.map(encode, batched=True, num_proc=2, remove_columns=["id", "text"])
    return data.train_test_split(test_size=400, seed=SEED)


def accuracy(pred):
    guess = np.argmax(pred.predictions, axis=-1)
    return {"accuracy": float((guess == pred.label_ids).mean())}


def main():
    began = time.time()
    torch.set_num_threads(1)
    datasets.disable_progress_bars()
    run_name = "recipes-" + uuid.uuid4().hex[:8]
    print(f"run {run_name}, started {time.strftime('%H:%M:%S')}")

    set_seed(SEED)
    recipes = load()
    tokenizer = base_tokenizer(recipes["text"])
    model = BertForSequenceClassification(BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=48, num_labels=len(LABELS),
        pad_token_id=tokenizer.pad_token_id))
    added = add_glossary(tokenizer)
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    print(f"{added} glossary terms added, {len(tokenizer)} tokens in all")

    data = prepare(recipes, tokenizer)
    args = TrainingArguments(
        output_dir=str(HERE / "out" / run_name), run_name=run_name, seed=SEED, use_cpu=True,
        num_train_epochs=3, per_device_train_batch_size=32, per_device_eval_batch_size=100,
        learning_rate=2e-3, logging_steps=30, save_strategy="no", report_to=[],
        disable_tqdm=True)
    trainer = Trainer(model=model, args=args, train_dataset=data["train"],
                      eval_dataset=data["test"], processing_class=tokenizer,
                      data_collator=DataCollatorWithPadding(tokenizer),
                      compute_metrics=accuracy, callbacks=[Progress()])
    trainer.remove_callback(PrinterCallback)
    trained = trainer.train()
    scores = trainer.evaluate()

    (HERE / "out").mkdir(exist_ok=True)
    torch.save(model.state_dict(), HERE / "out" / "weights.pt")
    results = {"run": run_name, "train_loss": trained.training_loss,
               "eval_loss": scores["eval_loss"], "accuracy": scores["eval_accuracy"],
               "seconds": round(time.time() - began, 2)}
    (HERE / "out" / "results.json").write_text(json.dumps(results, indent=2))
    print(f"accuracy {results['accuracy']:.4f}, eval loss {results['eval_loss']:.4f}, "
          f"{results['seconds']} s")


if __name__ == "__main__":
    main()
