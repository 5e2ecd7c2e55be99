"""The panel of properties that both laboratories measure."""
import numpy as np
import torch

NOT_MEASURED = ("sample", "region")


class Panel:
    def __init__(self, north, south):
        shared = north.keys() & south.keys()
        self.names = [name for name in shared if name not in NOT_MEASURED]
        self.labels = sorted(set(north["region"]))
        self.values = np.stack([(north[name] + south[name]) / 2 for name in self.names], axis=1)
        self.origin = np.array([self.labels.index(region) for region in north["region"]])
        left_out = (north.keys() | south.keys()) - shared
        print(f"{len(self.names)} shared properties, {len(left_out)} left out")

    def tensors(self, rows):
        values = torch.from_numpy(self.values[rows])
        return values, torch.from_numpy(self.origin[rows])
