"""Logged plays of board games: who played what, by taste and by how well known a game is."""
import numpy as np


def month_of_plays(part, players, games, seed, size=1700):
    taste_rng = np.random.default_rng(seed)
    player_taste = taste_rng.normal(size=(players, 6))
    game_taste = taste_rng.normal(size=(games, 6))
    fame = 1.2 * taste_rng.normal(size=games)
    rng = np.random.default_rng([seed, part])
    who = rng.integers(players, size=size)
    wish = player_taste[who] @ game_taste.T + fame + rng.gumbel(size=(size, games))
    return who.astype(np.int64), wish.argmax(1).astype(np.int64)
