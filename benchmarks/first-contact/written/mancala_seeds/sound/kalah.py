"""Kalah with six pits a side."""


class Kalah:
    def __init__(self, stones=4):
        self.pits = [stones] * 6 + [0] + [stones] * 6 + [0]
        self.player = 0

    def legal(self):
        base = 7 * self.player
        return [i for i in range(6) if self.pits[base + i]]

    def over(self):
        return not self.legal()

    def view(self):
        """The board as the player to move sees it."""
        if self.player == 0:
            return list(self.pits)
        return self.pits[7:] + self.pits[:7]

    def play(self, pit):
        base, store, skip = 7 * self.player, 6 + 7 * self.player, 13 - 7 * self.player
        pos = base + pit
        hand, self.pits[pos] = self.pits[pos], 0
        while hand:
            pos = (pos + 1) % 14
            if pos == skip:
                continue
            self.pits[pos] += 1
            hand -= 1
        if base <= pos < base + 6 and self.pits[pos] == 1 and self.pits[12 - pos]:
            self.pits[store] += 1 + self.pits[12 - pos]
            self.pits[pos] = self.pits[12 - pos] = 0
        if pos != store:
            self.player = 1 - self.player

    def margin(self):
        return sum(self.pits[:7]) - sum(self.pits[7:])
