"""Epoch by epoch scores, kept in a file that a spreadsheet can open while training goes on."""
import csv


class History:
    FIELDS = ["epoch", "loss", "mae"]

    def __init__(self, path, patience):
        self.path, self.patience = path, patience
        if not path.exists():
            self._write(self.FIELDS, mode="w")

    def _write(self, row, mode="a"):
        with open(self.path, mode, newline="") as f:
            csv.writer(f).writerow(row)

    def add(self, epoch, loss, mae):
        self._write([epoch, repr(loss), repr(mae)])

    def _maes(self):
        with open(self.path, newline="") as f:
            return [float(r["mae"]) for r in csv.DictReader(f)]

    def improved(self):
        maes = self._maes()
        return maes.index(min(maes)) == len(maes) - 1

    def stalled(self):
        maes = self._maes()
        return len(maes) - 1 - maes.index(min(maes)) >= self.patience
