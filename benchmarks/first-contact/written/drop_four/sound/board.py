COLS, ROWS, NEED = 5, 4, 3


def _lines():
    for c in range(COLS):
        for r in range(ROWS):
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(c + k * dc, r + k * dr) for k in range(NEED)]
                if all(0 <= x < COLS and 0 <= y < ROWS for x, y in cells):
                    yield tuple(x * ROWS + y for x, y in cells)


LINES = tuple(_lines())


class Board:
    """Cells hold +1, -1 or 0; column c occupies c * ROWS onwards, from the bottom."""

    __slots__ = ("cells", "to_move")

    def __init__(self, cells=(0,) * (COLS * ROWS), to_move=1):
        self.cells, self.to_move = cells, to_move

    def moves(self):
        return [c for c in range(COLS) if self.cells[c * ROWS + ROWS - 1] == 0]

    def play(self, column):
        at = self.cells.index(0, column * ROWS)
        cells = self.cells[:at] + (self.to_move,) + self.cells[at + 1:]
        return Board(cells, -self.to_move)

    def winner(self):
        for a, b, c in LINES:
            if self.cells[a] and self.cells[a] == self.cells[b] == self.cells[c]:
                return self.cells[a]
        return 0

    def over(self):
        return self.winner() != 0 or 0 not in self.cells
