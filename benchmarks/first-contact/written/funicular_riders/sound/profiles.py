"""Daily profiles: what rode up by hour, and the total of the day after."""
import math
from collections import defaultdict
from datetime import timedelta

import torch
from torch.utils.data import Dataset

from ledger import FIRST_HOUR, LAST_HOUR


class DayProfiles(Dataset):
    def __init__(self, entries, holidays=frozenset()):
        by_hour = defaultdict(lambda: [0.0] * (LAST_HOUR - FIRST_HOUR))
        for entry in entries:
            if entry.upward:
                by_hour[entry.when.date()][entry.when.hour - FIRST_HOUR] += entry.riders
        open_days = sorted({entry.when.date() for entry in entries} - set(holidays))
        self.days, inputs, totals = [], [], []
        for day in open_days:
            after = day + timedelta(days=1)
            if after not in by_hour:
                continue
            angle = 2 * math.pi * after.timetuple().tm_yday / 365
            weekday = [float(after.weekday() == k) for k in range(7)]
            inputs.append([v / 100 for v in by_hour[day]] + weekday + [math.sin(angle), math.cos(angle)])
            totals.append(sum(by_hour[after]) / 1000)
            self.days.append(day)
        self.inputs = torch.tensor(inputs)
        self.totals = torch.tensor(totals)

    def __len__(self):
        return len(self.days)

    def __getitem__(self, index):
        return self.inputs[index], self.totals[index]
