"""Static timing: arrival times from the delays of arcs."""


def arrival_times(netlist, delays):
    """Name of the gate -> latest arrival at its output in ps; delays by (name of the gate, pin)."""
    arrivals = {}
    for gate in netlist.gates:
        latest = 0.0
        for pin, driver in enumerate(gate.inputs):
            latest = max(latest, arrivals[driver.name] + delays[gate.name, pin])
        arrivals[gate.name] = latest
    return arrivals


def slack_report(netlist, signoff, estimate):
    names = [gate.name for gate in netlist.endpoints]
    errors = [abs(estimate[name] - signoff[name]) for name in names]
    worst = sorted(names, key=lambda name: (-estimate[name], name))
    return {
        "signoff_worst": max(signoff[name] for name in names),
        "model_worst": estimate[worst[0]],
        "endpoint_mae": sum(errors) / len(errors),
        "worst_endpoints": worst[:5],
    }
