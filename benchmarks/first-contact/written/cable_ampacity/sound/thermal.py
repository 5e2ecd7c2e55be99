"""Radial transient of one cable in soil, run until it settles."""
import numpy as np

XLPE_K = 0.286
AMBIENT = 15.0


def solve(design, nodes=60, tolerance=2e-5, limit=1000):
    inner = design.radius()
    outer = max(design.depth_m, 0.5)
    r = np.geomspace(inner, outer, nodes)
    jacket = inner + design.insulation_mm * 1e-3
    k = np.where(r < jacket, XLPE_K, design.soil_k)
    face = np.sqrt(r[1:] * r[:-1])
    conductance = 2 * np.pi * face * 0.5 * (k[1:] + k[:-1]) / np.diff(r)
    diagonal = np.zeros(nodes)
    diagonal[:-1] += conductance
    diagonal[1:] += conductance
    temperature = np.full(nodes, AMBIENT)
    steps = 0
    for steps in range(1, limit + 1):
        rise = temperature[0] - 20.0
        heat = design.current ** 2 * design.resistance() * (1 + 0.00393 * rise)
        flow = np.zeros(nodes)
        flow[:-1] += conductance * temperature[1:]
        flow[1:] += conductance * temperature[:-1]
        flow[0] += heat
        new = temperature + 1.0 * (flow / diagonal - temperature)
        new[-1] = AMBIENT
        change = np.abs(new - temperature).max()
        temperature = new
        if change < tolerance:
            break
    return design.number, design.features(), float(temperature[0]), steps
