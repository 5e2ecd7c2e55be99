"""A small pool table: equal discs, elastic collisions, felt friction, six pockets."""
import numpy as np

WIDTH, LENGTH = 1.12, 2.24
RADIUS = 0.0286
POCKET = 0.075
DT = 0.004
POCKETS = np.array([(x, y) for x in (0.0, WIDTH) for y in (0.0, LENGTH / 2, LENGTH)])


def rack(rows=4):
    """The triangle, its apex on the foot spot, and the cue ball (index 0) behind the line."""
    spots = []
    for row in range(rows):
        for k in range(row + 1):
            x = WIDTH / 2 + (k - row / 2) * 2.04 * RADIUS
            y = 0.75 * LENGTH + row * 1.78 * RADIUS
            spots.append((x, y))
    return np.array([(WIDTH / 2, 0.22 * LENGTH)] + spots)


def roll(balls, velocity, friction, steps):
    """Let the balls roll; gives their last places and which of them were pocketed."""
    balls, velocity = balls.copy(), velocity.copy()
    alive = np.ones(len(balls), dtype=bool)
    upper = np.triu(np.ones((len(balls), len(balls)), dtype=bool), k=1)
    for _ in range(steps):
        balls += velocity * DT
        for axis, size in ((0, WIDTH), (1, LENGTH)):
            low, high = balls[:, axis] < RADIUS, balls[:, axis] > size - RADIUS
            velocity[low & (velocity[:, axis] < 0), axis] *= -0.8
            velocity[high & (velocity[:, axis] > 0), axis] *= -0.8

        gap = balls[:, None] - balls[None]
        distance = np.sqrt((gap ** 2).sum(-1))
        touching = upper & (distance < 2 * RADIUS) & alive[:, None] & alive[None]
        for i, j in zip(*np.nonzero(touching)):
            normal = (balls[i] - balls[j]) / max(distance[i, j], 1e-9)
            closing = (velocity[i] - velocity[j]) @ normal
            if closing < 0:
                velocity[i] -= 0.97 * closing * normal
                velocity[j] += 0.97 * closing * normal

        fallen = alive & (((balls[:, None] - POCKETS[None]) ** 2).sum(-1).min(1) < POCKET ** 2)
        alive &= ~fallen
        velocity[~alive] = 0.0
        speed = np.sqrt((velocity ** 2).sum(1, keepdims=True))
        velocity *= np.maximum(speed - friction * DT, 0.0) / np.maximum(speed, 1e-9)
        if speed.max() < 1e-3:
            break
    return balls, ~alive
