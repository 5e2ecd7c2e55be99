import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification

from declarations import CHAPTERS, Vocabulary


def build_classifier(vocabulary):
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=96, max_position_embeddings=32,
        num_labels=len(CHAPTERS), hidden_dropout_prob=0.1)
    return BertForSequenceClassification(config)


def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    batch = {}
    for name in ("input_ids", "attention_mask"):
        filled = [row[name] + [Vocabulary.PAD] * (longest - len(row[name])) for row in rows]
        batch[name] = torch.tensor(filled)
    batch["labels"] = torch.tensor([row["labels"] for row in rows])
    return batch


def scores(prediction):
    guess = np.argmax(prediction.predictions, axis=-1)
    right = guess == prediction.label_ids
    return {"accuracy": float(right.mean())}
