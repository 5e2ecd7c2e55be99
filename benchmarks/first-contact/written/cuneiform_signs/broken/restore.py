"""Filling in single broken signs with the trained model."""
import torch


class Tablets(torch.utils.data.Dataset):
    def __init__(self, tablets, tokenizer):
        lines = [" ".join(t) for t in tablets]
        self.items = tokenizer(lines, truncation=True)["input_ids"]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return {"input_ids": self.items[i]}


@torch.no_grad()
def restoration(model, tokenizer, tablets, top: int = 5) -> dict[str, float]:
    """Breaks the last but one sign before the month name, and others at fixed places."""
    model.eval()
    hits = first = asked = 0
    for n, signs in enumerate(tablets):
        ids = tokenizer(" ".join(signs), return_tensors="pt")["input_ids"]
        place = 1 + (n * 5) % len(signs)
        truth = ids[0, place].item()
        if truth == tokenizer.unk_token_id:
            continue
        ids[0, place] = tokenizer.mask_token_id
        guesses = model(input_ids=ids).logits[0, place].topk(top).indices.tolist()
        asked += 1
        hits += truth in guesses
        first += truth == guesses[0]
    return {"asked": asked, "top1": round(first / asked, 4), f"top{top}": round(hits / asked, 4)}
