"""Sugar content of grapes from probe readings."""
import json
import os
import random
import time
from pathlib import Path

import numpy as np
import torch

from blocks import BLOCKS, split, survey
from landmarks import features_of
from regress import BrixNet, rmse, train

SEED = 1855
EPOCHS = 10


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def tensors(table, features):
    codes = table["block"].map({name: k for k, name in enumerate(BLOCKS)})
    return (torch.from_numpy(features), torch.tensor(codes.to_numpy(), dtype=torch.long),
            torch.tensor(table["brix"].to_numpy(), dtype=torch.float32))


def main():
    seed_all(SEED)
    clock = time.time()
    train_table, test_table = split(survey(2000, SEED))
    train_x, test_x = features_of(train_table, test_table, count=24, jobs=2, seed=SEED)
    fit_set, test_set = tensors(train_table, train_x), tensors(test_table, test_x)
    print(f"features ready after {time.time() - clock:.1f} s (pid {os.getpid()})")

    model = BrixNet(train_x.shape[1], len(BLOCKS))
    history = []

    def report(epoch, loss):
        error = rmse(model, *test_set)
        history.append(error)
        print(f"epoch {epoch:2d}  last loss {loss:.5f}  test rmse {error:.5f}  t={time.time() - clock:.1f}s")

    train(model, *fit_set, EPOCHS, report)
    folder = Path("vintage") / time.strftime("%Y-%m-%d_%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / "brix.pt")
    with open(folder / "summary.json", "w") as file:
        json.dump({"rmse": history, "landmark_size": list(train_x.shape), "elapsed": time.time() - clock}, file)
    print(f"best rmse {min(history):.5f} °Bx")


if __name__ == "__main__":
    main()
