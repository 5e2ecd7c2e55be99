"""Fine-tuning of a (very) small BERT for contract clauses, reading the data as a stream."""
import json
import os
import time
import uuid
from dataclasses import asdict, dataclass

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import datasets
import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification, get_linear_schedule_with_warmup, set_seed

from corpus import LABELS, Vocabulary, make_corpus

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class TrainingConfig:
    seed: int = 42
    train_size: int = 1600
    eval_size: int = 300
    buffer_size: int = 256
    batch_size: int = 32
    epochs: int = 2
    learning_rate: float = 8e-4
    warmup: float = 0.1
    max_length: int = 32
    hidden: int = 64
    layers: int = 2
    out: str = os.path.join(HERE, "checkpoints")


class Collator:
    def __init__(self, max_length):
        self.max_length = max_length

    def __call__(self, rows):
        ids = [row["input_ids"][: self.max_length] for row in rows]
        width = max(len(i) for i in ids)
        batch = torch.zeros(len(ids), width, dtype=torch.long)
        mask = torch.zeros(len(ids), width, dtype=torch.long)
        for r, i in enumerate(ids):
            batch[r, : len(i)] = torch.tensor(i)
            mask[r, : len(i)] = 1
        labels = torch.tensor([row["label"] for row in rows])
        return {"input_ids": batch, "attention_mask": mask, "labels": labels}


def build_streams(cfg):
    train_rows = make_corpus(cfg.train_size, cfg.seed)
    eval_rows = make_corpus(cfg.eval_size, cfg.seed + 1)
    vocabulary = Vocabulary(row["text"] for row in train_rows)

    def tokenize(row):
        return {"input_ids": vocabulary.encode(row["text"])}

    train = datasets.Dataset.from_list(train_rows).to_iterable_dataset(num_shards=4)
    train = train.map(tokenize, remove_columns=["text"])
    train = train.shuffle(seed=cfg.seed, buffer_size=cfg.buffer_size)
    evaluation = [{**tokenize(row), "label": row["label"]} for row in eval_rows]
    return vocabulary, train, evaluation


def build_model(cfg, vocabulary):
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=cfg.hidden,
        num_hidden_layers=cfg.layers,
        num_attention_heads=4,
        intermediate_size=cfg.hidden * 2,
        max_position_embeddings=cfg.max_length + 2,
        num_labels=len(LABELS),
        pad_token_id=Vocabulary.PAD,
    )
    return BertForSequenceClassification(config)


@torch.no_grad()
def evaluate(model, rows, collate, batch_size=100):
    model.eval()
    loss, hits = 0.0, 0
    per_label = torch.zeros(len(LABELS), len(LABELS), dtype=torch.long)
    for start in range(0, len(rows), batch_size):
        batch = collate(rows[start:start + batch_size])
        out = model(**batch)
        loss += out.loss.item() * len(batch["labels"])
        guess = out.logits.argmax(1)
        hits += (guess == batch["labels"]).sum().item()
        for truth, g in zip(batch["labels"].tolist(), guess.tolist()):
            per_label[truth, g] += 1
    recall = per_label.diag().float() / per_label.sum(1).clamp(min=1)
    return {
        "loss": loss / len(rows),
        "accuracy": hits / len(rows),
        "recall": {name: round(r, 4) for name, r in zip(LABELS, recall.tolist())},
    }


def train(cfg):
    set_seed(cfg.seed)
    run_id = uuid.uuid4().hex[:8]
    os.makedirs(cfg.out, exist_ok=True)
    vocabulary, stream, evaluation = build_streams(cfg)
    model = build_model(cfg, vocabulary)
    collate = Collator(cfg.max_length)
    loader = DataLoader(stream, batch_size=cfg.batch_size, collate_fn=collate)
    print(f"[{run_id}] vocabulary {len(vocabulary)}, {model.num_parameters()} parameters")

    decay = [p for n, p in model.named_parameters() if p.ndim > 1]
    rest = [p for n, p in model.named_parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=cfg.learning_rate
    )
    total = cfg.epochs * (cfg.train_size // cfg.batch_size)
    schedule = get_linear_schedule_with_warmup(optimizer, int(cfg.warmup * total), total)

    step, seen, results = 0, 0, []
    for epoch in range(cfg.epochs):
        stream.set_epoch(epoch)
        model.train()
        running, began = 0.0, time.monotonic()
        for batch in loader:
            loss = model(**batch).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            running = 0.95 * running + 0.05 * loss.item() if step else loss.item()
            step += 1
            seen += len(batch["labels"])
        scores = evaluate(model, evaluation, collate)
        results.append({"epoch": epoch, "train_loss": running, **scores})
        speed = seen / max(time.monotonic() - began, 1e-9)
        print(f"[{run_id}] epoch {epoch} train {running:.5f} eval {scores['loss']:.6f} "
              f"acc {scores['accuracy']:.4f} ({speed:.0f} clauses/s)")

    torch.save(model.state_dict(), os.path.join(cfg.out, "model.pt"))
    with open(os.path.join(cfg.out, f"log-{run_id}.json"), "w") as f:
        json.dump({"date": time.strftime("%F %T"), "config": asdict(cfg), "results": results}, f, indent=1)
    print("recall:", json.dumps(results[-1]["recall"]))


if __name__ == "__main__":
    datasets.disable_progress_bars()
    train(TrainingConfig())
