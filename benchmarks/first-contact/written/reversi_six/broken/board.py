"""Reversi on six by six squares."""
import numpy as np

SIDE = 6
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def start():
    board = [[0] * SIDE for _ in range(SIDE)]
    board[2][2] = board[3][3] = -1
    board[2][3] = board[3][2] = 1
    return board


def flips(board, x, y, player):
    if board[x][y]:
        return []
    turned = []
    for dx, dy in STEPS:
        line, i, j = [], x + dx, y + dy
        while 0 <= i < SIDE and 0 <= j < SIDE and board[i][j] == -player:
            line.append((i, j))
            i, j = i + dx, j + dy
        if line and 0 <= i < SIDE and 0 <= j < SIDE and board[i][j] == player:
            turned += line
    return turned


def moves(board, player):
    found = ((x, y, flips(board, x, y, player)) for x in range(SIDE) for y in range(SIDE))
    return [move for move in found if move[2]]


def play(board, move, player):
    x, y, turned = move
    for i, j in [(x, y), *turned]:
        board[i][j] = player


def balance(board):
    return int(np.sum(board))
