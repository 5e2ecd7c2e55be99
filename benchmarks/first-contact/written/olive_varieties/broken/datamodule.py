import lightning as L
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

from registry import VARIETIES, load_table

NOT_INPUTS = {"sample_id", "variety", "mill", "pressed_on"}


class OliveData(L.LightningDataModule):
    def __init__(self, batch_size=64, seed=11):
        super().__init__()
        self.batch_size = batch_size
        self.seed = seed
        self.columns = []

    def setup(self, stage=None):
        if self.columns:
            return
        table = load_table(seed=self.seed)
        available = set(table.columns)
        if not NOT_INPUTS <= available:
            raise KeyError(f"columns not in the registry: {sorted(NOT_INPUTS - available)}")
        self.columns = list(available - NOT_INPUTS)
        labels = table["variety"].map(VARIETIES.index).to_numpy()
        train, rest = train_test_split(
            table.index, test_size=0.3, stratify=labels, random_state=self.seed)
        val, test = train_test_split(rest, test_size=0.5, random_state=self.seed)
        scaler = StandardScaler().fit(table.loc[train, self.columns])
        inputs = torch.tensor(scaler.transform(table[self.columns]), dtype=torch.float32)
        targets = torch.tensor(labels)
        self.parts = {
            name: TensorDataset(inputs[list(rows)], targets[list(rows)])
            for name, rows in (("train", train), ("val", val), ("test", test))
        }
        print(f"{len(table)} samples of {len(set(table['mill']))} mills, "
              f"{len(self.columns)} inputs")

    def train_dataloader(self):
        return DataLoader(self.parts["train"], self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], 256)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], 256)
