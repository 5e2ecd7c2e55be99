"""Hex on a small board. A position is a tuple: None for an empty cell, else the player (0 or 1)."""
from functools import lru_cache

SIZE = 5
CELLS = SIZE * SIZE
EMPTY = (None,) * CELLS


@lru_cache(maxsize=None)
def neighbours(cell):
    r, c = divmod(cell, SIZE)
    steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
    return [(r + a) * SIZE + c + b for a, b in steps if 0 <= r + a < SIZE and 0 <= c + b < SIZE]


def to_move(board):
    return sum(cell is not None for cell in board) % 2


def moves(board):
    return [i for i, cell in enumerate(board) if cell is None]


def play(board, cell):
    return board[:cell] + (to_move(board),) + board[cell + 1:]


def winner(board):
    """Player 0 joins top and bottom, player 1 joins left and right."""
    for player in (0, 1):
        if player == 0:
            start, goal = range(SIZE), set(range(CELLS - SIZE, CELLS))
        else:
            start, goal = range(0, CELLS, SIZE), set(range(SIZE - 1, CELLS, SIZE))
        stack = [i for i in start if board[i] == player]
        seen = set(stack)
        while stack:
            cell = stack.pop()
            if cell in goal:
                return player
            for other in neighbours(cell):
                if board[other] == player and other not in seen:
                    seen.add(other)
                    stack.append(other)
    return None


def turned(board):
    """The same position seen from the opposite side of the table."""
    return board[::-1]


def show(board):
    rows = []
    for r in range(SIZE):
        row = board[r * SIZE:(r + 1) * SIZE]
        rows.append(" " * r + " ".join("." if cell is None else "XO"[cell] for cell in row))
    return "\n".join(rows)
