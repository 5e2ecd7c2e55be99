"""Heat in the ground round a field of borehole heat exchangers, on a grid cut into a west and an east half."""
import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F

ROWS, COLUMNS = 64, 48          # of one half
DIFFUSION = 0.05
PARTS = 4                        # steps a day


class Half:
    def __init__(self, rank, seed):
        self.rank = rank
        self.other = 1 - rank
        rng = np.random.default_rng([seed, rank])
        self.ground = torch.from_numpy(rng.uniform(0.6, 1.2, size=(ROWS, COLUMNS))).float() * DIFFUSION
        self.wells = torch.zeros(ROWS, COLUMNS)
        for row, column in zip(rng.integers(4, ROWS - 4, size=9), rng.integers(COLUMNS // 8, COLUMNS - 2, size=9)):
            column = COLUMNS - 1 - column if rank == 0 else column
            self.wells[row, column] = float(rng.uniform(0.5, 1.5))
        self.edge = COLUMNS - 1 if rank == 0 else 0         # the column that touches the other half
        self.halo = torch.zeros(ROWS)                       # the other half's nearest column
        self.messages = 0

    def start_exchange(self, temperature):
        outgoing = temperature[:, self.edge].contiguous()
        self.messages += 1
        return outgoing, [dist.irecv(self.halo, self.other), dist.isend(outgoing, self.other)]

    def inner(self, temperature):
        """One step for the whole half as if no heat crossed the cut."""
        padded = F.pad(temperature[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        return temperature + self.ground * (around - 4 * temperature)

    def across(self, temperature, new):
        """What crosses the cut, added to the edge column."""
        new[:, self.edge] += self.ground[:, self.edge] * (self.halo - temperature[:, self.edge])

    def simulate(self, temperature, demand, days):
        frames = [temperature]
        for day in range(days):
            for _ in range(PARTS):
                outgoing, pending = self.start_exchange(temperature)
                new = self.inner(temperature)
                for work in pending:
                    work.wait()
                self.across(temperature, new)
                temperature = new - demand[day] / PARTS * self.wells
            frames.append(temperature)
        return torch.stack(frames)
