"""Plays games of a cautious player with some random moves against itself, in several processes."""
import multiprocessing as mp
import os
import shutil

import numpy as np

from board import balance, moves, play, start


def replies(board, move, player):
    """How many moves the other player has after this one."""
    board = [row[:] for row in board]
    play(board, move, player)
    return len(moves(board, -player))


def one_game(job):
    number, seed, boldness, folder = job
    rng = np.random.default_rng((seed, number))
    board, player, seen, passed = start(), 1, [], 0
    while passed < 2:
        choices = moves(board, player)
        if choices:
            if rng.random() < boldness:
                move = choices[rng.integers(len(choices))]
            else:
                move = min(choices, key=lambda c: (replies(board, c, player), c[:2]))
            play(board, move, player)
            seen.append(np.array(board) * player)
            passed = 0
        else:
            passed += 1
        player = -player
    result = balance(board)
    signs = [1 if i % 2 == 0 else -1 for i in range(len(seen))]
    partial = folder / f"game{number:04d}.part"
    with open(partial, "wb") as file:
        np.savez(file, boards=np.stack(seen).astype(np.int8), result=result, signs=signs)
    os.replace(partial, folder / f"game{number:04d}.npz")
    return os.getpid(), len(seen)


def fill(folder, games, seed, processes=2):
    """Writes one file for each game; the later ones are played more boldly."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    jobs = [(n, seed, 0.2 + 0.6 * n / games, folder) for n in range(games)]
    with mp.get_context("fork").Pool(processes) as pool:
        done = pool.map(one_game, jobs, chunksize=1)
    return len({pid for pid, _ in done}), sum(count for _, count in done)
