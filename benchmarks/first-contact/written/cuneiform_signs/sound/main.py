"""Masked-sign model for Ur III style tablets, small enough to train on a laptop."""
import json
import math
import tempfile
import time
from pathlib import Path

from transformers import (
    BertConfig,
    BertForMaskedLM,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
    set_seed,
)
from transformers.utils import logging

from corpus import load_tablets
from restore import Tablets, restoration
from signs import build_tokenizer, unknown_share

OUT = Path("model")


def main():
    logging.set_verbosity_error()
    began = time.time()
    set_seed(17)

    tablets = load_tablets(1500, seed=5)
    train, held_out = tablets[:1300], tablets[1300:]
    tokenizer = build_tokenizer(train)
    print(f"{len(tokenizer)} signs, {unknown_share(tokenizer, held_out):.2%} of the held-out text unknown")

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=40,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = BertForMaskedLM(config)
    print(f"{model.num_parameters():,} parameters")

    with tempfile.TemporaryDirectory(prefix="tablets-") as scratch:
        args = TrainingArguments(
            output_dir=scratch,
            num_train_epochs=3,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=64,
            learning_rate=3e-3,
            lr_scheduler_type="linear",
            warmup_steps=10,
            logging_steps=40,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            seed=17,
        )
        trainer = Trainer(
            model=model,
            args=args,
            train_dataset=Tablets(train, tokenizer),
            eval_dataset=Tablets(held_out, tokenizer),
            data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.2),
        )
        trainer.train()

    evals = [row["eval_loss"] for row in trainer.state.log_history if "eval_loss" in row]
    for epoch, loss in enumerate(evals, 1):
        print(f"epoch {epoch}: held-out perplexity {math.exp(loss):.4f}")
    scores = restoration(model, tokenizer, held_out)
    print("restored:", scores)

    model.save_pretrained(OUT)
    tokenizer.save_pretrained(OUT)
    took = time.time() - began
    metrics = {"eval_loss": evals, "restoration": scores, "seconds": round(took, 2)}
    (OUT / "metrics.json").write_text(json.dumps(metrics, indent=1))
    print(time.strftime("finished %d %b %Y %H:%M:%S"), f"after {took:.1f} s")


if __name__ == "__main__":
    main()
