import argparse
import json
import time
from pathlib import Path

import torch
from sklearn.metrics import f1_score
from torch.utils.data import DataLoader, TensorDataset

from corpus import OUTCOMES, load_cases
from model import CaseClassifier
from vocabulary import Vocabulary, tokenize


def parse_args():
    parser = argparse.ArgumentParser(description="Predict how a tenancy dispute ends from its summary.")
    parser.add_argument("--cases", type=int, default=1500)
    parser.add_argument("--terms", type=int, default=140)
    parser.add_argument("--length", type=int, default=36)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    return parser.parse_args()


def tensors(cases, vocabulary, length):
    ids = torch.tensor([vocabulary.encode(tokens, length) for tokens, _ in cases])
    labels = torch.tensor([label for _, label in cases])
    return TensorDataset(ids, labels)


def train_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for ids, labels in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(ids), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model, dataset):
    model.eval()
    ids, labels = dataset.tensors
    logits = model(ids)
    loss = torch.nn.functional.cross_entropy(logits, labels).item()
    return loss, f1_score(labels.numpy(), logits.argmax(1).numpy(), average="macro")


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    run = args.runs / time.strftime("%Y-%m-%d_%H%M%S")
    run.mkdir(parents=True)

    cases = [(tokenize(text), label) for text, label in load_cases(args.cases, args.seed)]
    cut = int(0.8 * len(cases))
    vocabulary = Vocabulary.from_documents((tokens for tokens, _ in cases[:cut]), size=args.terms)
    vocabulary.save(run / "vocabulary.json")
    train_set = tensors(cases[:cut], vocabulary, args.length)
    test_set = tensors(cases[cut:], vocabulary, args.length)
    print(f"{len(train_set)} cases to train on, {len(test_set)} to test on, {len(vocabulary)} terms")

    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = CaseClassifier(len(vocabulary), len(OUTCOMES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)

    history = []
    for epoch in range(1, args.epochs + 1):
        began = time.time()
        loss = train_epoch(model, loader, optimizer)
        schedule.step()
        test_loss, f1 = evaluate(model, test_set)
        history.append({"epoch": epoch, "loss": loss, "test_loss": test_loss, "f1": f1})
        print(f"epoch {epoch:2d}  loss {loss:.4f}  test {test_loss:.4f}  f1 {f1:.3f}  [{time.time() - began:.1f} s]")

    torch.save({"model": model.state_dict(), "terms": len(vocabulary)}, run / "model.pt")
    (run / "metrics.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()
