"""The window of the latest games."""
import numpy as np
import torch


class Window:
    def __init__(self, folder, size):
        self.folder, self.size = folder, size

    def files(self):
        """The games of the window, the oldest first."""
        games = sorted(self.folder.glob("game*.npz"))
        return games[-self.size:]

    def load(self):
        boards, values = [], []
        for path in self.files():
            with np.load(path) as game:
                boards.append(game["boards"])
                values.append(np.sign(game["result"]) * game["signs"])
        planes = np.concatenate(boards)
        planes = np.stack((planes == 1, planes == -1), 1)
        return (torch.tensor(planes, dtype=torch.float32),
                torch.tensor(np.concatenate(values), dtype=torch.float32))
