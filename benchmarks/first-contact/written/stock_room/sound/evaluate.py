from room import StockRoom


def mean_return(agent, settings, first_seed, episodes=6):
    """Plays whole episodes with the agent's best choices, and gives the mean of their returns."""
    room, total = StockRoom(settings), 0.0
    for episode in range(episodes):
        view, done = room.reset(seed=first_seed + episode), False
        while not done:
            view, reward, done = room.step(agent.best(view))
            total += reward
    return total / episodes
