"""Connect three, on five columns of four rows. The board is always seen by the player who is to move."""
import numpy as np

ROWS, COLS = 4, 5


def start():
    return np.zeros((ROWS, COLS), dtype=np.int8)


def moves(board):
    return [c for c in range(COLS) if board[0, c] == 0]


def play(board, col):
    """Drops a stone and turns the board round for the other player."""
    after = board.copy()
    row = np.flatnonzero(after[:, col] == 0)[-1]
    after[row, col] = 1
    return -after


def lost(board):
    """Has the one who is to move just been beaten?"""
    b = board == -1
    return bool((b[:, :-2] & b[:, 1:-1] & b[:, 2:]).any() or (b[:-2] & b[1:-1] & b[2:]).any()
                or (b[:-2, :-2] & b[1:-1, 1:-1] & b[2:, 2:]).any()
                or (b[2:, :-2] & b[1:-1, 1:-1] & b[:-2, 2:]).any())
