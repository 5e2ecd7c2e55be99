"""Reads Braille cells: a quick first stage, then a slow one on what is still hard."""
import json
import time
from pathlib import Path

import torch

from cells import LETTERS, pictures
from stages import Reader, run_stage


def main():
    torch.manual_seed(1824)
    torch.set_num_threads(1)
    images, letters = pictures(count=1500, seed=6)
    images = torch.from_numpy(images)[:, None]
    letters = torch.from_numpy(letters)
    run = Path("runs") / time.strftime("%Y%m%d-%H%M%S")
    run.mkdir(parents=True)
    table_file = run / "hardness.npy"
    generator = torch.Generator().manual_seed(44)
    model = Reader(len(LETTERS))
    seen, seen_letters = images[:1200], letters[:1200]
    losses = run_stage("first", model, seen, seen_letters, table_file, 4, 3e-3, generator)
    torch.save(model.state_dict(), run / "first.pt")
    losses += run_stage("second", model, seen, seen_letters, table_file, 4, 5e-4, generator)
    with torch.no_grad():
        correct = (model(images[1200:]).argmax(1) == letters[1200:]).float().mean().item()
    print(f"{correct:.2%} of new cells read correctly")
    torch.save(model.state_dict(), run / "reader.pt")
    (run / "result.json").write_text(json.dumps({"correct": correct, "losses": losses}))


if __name__ == "__main__":
    main()
