"""Monte Carlo of the sag of a span under wind, ice and conductor temperature."""
import numpy as np

AREA_E = 3.2e7  # N
EXPANSION = 1.9e-5
_settings = {}


def start_worker(seed, hours):
    _settings["hours"] = hours
    _settings["seed"] = seed


def solve_tension(span, load, temperature):
    """Newton iterations on the change of state of a parabolic span."""
    k = AREA_E * (span.weight * span.length) ** 2 / (24 * span.tension**2)
    a = k - span.tension + AREA_E * EXPANSION * (temperature - 15.0)
    b = AREA_E * (load * span.length) ** 2 / 24
    h = np.full_like(load, span.tension)
    for _ in range(12):
        h = h - (h**3 + a * h**2 - b) / (3 * h**2 + 2 * a * h)
    return h


def simulate(span):
    rng = np.random.default_rng([_settings["seed"], span.number])
    hours = int(_settings["hours"] * (0.5 + span.exposure))
    wind = rng.weibull(1.8, hours) * (6 + 10 * span.exposure)
    ice = np.where(rng.random(hours) < 0.08, rng.gamma(2.0, 1.7, hours), 0.0)
    air = rng.normal(9.0, 9.0, hours)
    current = rng.uniform(0.2, 1.0, hours)
    heating = 45 * current**2 / (1 + 0.25 * wind)
    load = np.hypot(span.weight + ice, 0.012 * wind**2)
    sag = load * span.length**2 / (8 * solve_tension(span, load, air + heating))
    return float(sag.mean()), float(np.quantile(sag, 0.99))
