"""Timing arcs: one for each input pin of a gate, with features and the delay of signoff."""
from dataclasses import dataclass

from netlist import CELLS, pin_delay

CELL_NAMES = list(CELLS)


@dataclass(frozen=True)
class Arc:
    key: tuple
    features: tuple
    delay: float


def arcs_of(gate):
    found = []
    for pin, driver in enumerate(gate.inputs):
        one_hot = tuple(float(gate.cell == name) for name in CELL_NAMES)
        features = one_hot + (
            gate.drive,
            gate.load,
            driver.slew,
            gate.distance(driver),
            float(pin),
            float(len(gate.fanout)),
            float(len(driver.fanout)),
            float(gate.level),
        )
        found.append(Arc((gate.name, pin), features, pin_delay(driver, gate, pin)))
    return found


def every_arc(netlist):
    return [arc for gate in netlist.gates for arc in arcs_of(gate)]


def critical_endpoints(netlist, arrivals, share):
    """The endpoints with the latest arrivals."""
    ranked = sorted(netlist.endpoints, key=lambda gate: (-arrivals[gate.name], gate.name))
    return ranked[: max(1, int(share * len(ranked)))]


def fanin_cone(endpoints):
    """All gates from which one of the endpoints can be reached.  Cones overlap: a gate is in it once."""
    cone = set()
    waiting = list(endpoints)
    while waiting:
        gate = waiting.pop()
        if gate in cone:
            continue
        cone.add(gate)
        waiting.extend(gate.inputs)
    return cone


def training_arcs(endpoints):
    """The arcs in the cones of the endpoints, tie-offs and pure feedthroughs left out."""
    arcs = []
    for gate in fanin_cone(endpoints):
        if not gate.inputs:
            continue
        if gate.cell == "BUF" and gate.inputs[0].cell == "PI":
            continue
        arcs.extend(arcs_of(gate))
    return arcs
