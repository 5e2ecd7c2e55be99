"""Shards of pings on disk: .npz files that may come from several survey vessels."""
import numpy as np
import torch


def write_shards(folder, lines):
    count = 0
    for name, pings, kinds in lines:
        np.savez(folder / f"{name}-{count:06d}.npz", pings=pings, kinds=kinds)
        count += 1
    return count


class ShardReader:
    def __init__(self, folder):
        pings, kinds = [], []
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as shard:
                pings.append(torch.from_numpy(shard["pings"]))
                kinds.append(torch.from_numpy(shard["kinds"]))
        self.pings = torch.cat(pings).unsqueeze(1)
        self.kinds = torch.cat(kinds)

    def __len__(self):
        return len(self.kinds)

    def split(self, share):
        """The first lines to train on, the last to test: neighbouring pings look too much alike to mix them."""
        cut = int(share * len(self))
        return (self.pings[:cut], self.kinds[:cut]), (self.pings[cut:], self.kinds[cut:])
