import numpy as np
import torch
from sklearn.model_selection import GroupShuffleSplit
from torch.utils.data import Dataset

from render import DENOMINATIONS, catalogue, photograph_all


class CoinPhotos(Dataset):
    def __init__(self, photos, faces, kinds, augment=False):
        self.photos = torch.from_numpy(photos).unsqueeze(1)
        self.faces = torch.from_numpy(faces)
        self.kinds = torch.from_numpy(kinds)
        self.augment = augment

    def __len__(self):
        return len(self.photos)

    def __getitem__(self, i):
        photo = self.photos[i]
        if self.augment:
            photo = photo * (0.8 + 0.4 * torch.rand(()))
            if torch.rand(()) < 0.5:
                photo = photo.transpose(1, 2)
        return photo, self.faces[i], self.kinds[i]


def load(coins, processes, seed):
    """Photographs of the same coin stay on one side of the split."""
    listed = catalogue(coins, seed)
    shots = photograph_all(listed, processes, seed)
    photos = np.concatenate(shots)
    repeats = [len(s) for s in shots]
    faces = np.repeat([int(c.heads) for c in listed], repeats)
    kinds = np.repeat([c.denomination for c in listed], repeats)
    groups = np.repeat([c.index for c in listed], repeats)
    photos = (photos - photos.mean()) / photos.std()
    split = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=seed)
    train, test = next(split.split(photos, kinds, groups))
    names = {DENOMINATIONS[k] for k in np.unique(kinds[train])}
    return (CoinPhotos(photos[train], faces[train], kinds[train], augment=True),
            CoinPhotos(photos[test], faces[test], kinds[test]), sorted(names))
