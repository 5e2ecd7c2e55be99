"""Shape of a pendant droplet by the Young-Laplace equation."""
import numpy as np
from scipy.integrate import solve_ivp


def slope(s, state, bond):
    phi, r, z, _ = state
    curl = np.sin(phi) / r if r > 1e-9 else 1.0
    return [2.0 - bond * z - curl, np.cos(phi), np.sin(phi), np.pi * r * r * np.sin(phi)]


def neck(s, state, bond):
    return state[1] - 0.02


neck.terminal, neck.direction = True, -1


def profile(case):
    """Outline (16 radii, 16 heights) of the droplet of one case."""
    bond, reach = case
    grid = np.linspace(1e-4, reach, 16)
    sol = solve_ivp(slope, (1e-4, reach), [1e-4, 1e-4, 0.0, 0.0], args=(bond,), events=neck, rtol=1e-7, atol=1e-9, dense_output=True)
    grid = np.minimum(grid, sol.t[-1])
    _, r, z, _ = sol.sol(grid)
    return np.concatenate([r, z])
