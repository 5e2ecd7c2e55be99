from typing import Iterable, List, Tuple

from tracks import Track


def assign(tracks: Iterable[Track], n_folds: int = 5) -> List[List[Track]]:
    """A track goes to the same fold whatever else is in the sample."""
    folds = [[] for _ in range(n_folds)]
    for track in tracks:
        folds[hash(track) % n_folds].append(track)
    return folds


def holdout(folds: List[List[Track]], index: int) -> Tuple[List[Track], List[Track]]:
    train = [t for k, fold in enumerate(folds) if k != index for t in fold]
    return train, folds[index]
