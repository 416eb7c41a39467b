"""A bouncing ball by Siconos, event-driven with LSODAR; for an interpreter that has Siconos, which PyPI does not offer.

    python siconos_ball.py GRAVITY RESTITUTION BOUNCES REPEATS

Writes a JSON list with the processor seconds of every repeat up to the last bounce, and the time of that bounce.
"""

import json
import sys
import time

import siconos.kernel as siconos

IMPACT_EVENT = 2
LONG_ENOUGH = 100.0
"""[s] The run ends with the last bounce that was asked for."""


def bounce(gravity: float, restitution: float, bounces: int) -> tuple[float, float]:
    """Processor seconds and time of the last bounce of a point that falls from 1 m."""
    point = siconos.LagrangianLinearTIDS([1.0], [0.0], [[1.0]])
    point.setFExtPtr([-gravity])
    touch = siconos.Interaction(siconos.NewtonImpactNSL(restitution), siconos.LagrangianLinearTIR([[1.0]]))
    model = siconos.NonSmoothDynamicalSystem(0.0, LONG_ENOUGH)
    model.insertDynamicalSystem(point)
    model.link(touch, point)
    run = siconos.EventDriven(model, siconos.TimeDiscretisation(0.0, LONG_ENOUGH))
    run.insertIntegrator(siconos.LsodarOSI())
    run.insertNonSmoothProblem(siconos.LCP(), siconos.SICONOS_OSNSP_ED_IMPACT)
    run.insertNonSmoothProblem(siconos.LCP(), siconos.SICONOS_OSNSP_ED_SMOOTH_ACC)
    run.initialize()
    start, seen, when = time.process_time(), 0, 0.0
    while seen < bounces and run.hasNextEvent():
        run.advanceToEvent()
        event = run.eventsManager().nextEvent()
        if event.getType() == IMPACT_EVENT:
            seen, when = seen + 1, event.getDoubleTimeOfEvent()
        run.processEvents()
    return time.process_time() - start, when


if __name__ == "__main__":
    gravity, restitution, bounces, repeats = map(float, sys.argv[1:])
    runs = [bounce(gravity, restitution, int(bounces)) for _ in range(int(repeats))]
    print(json.dumps({"seconds": [seconds for seconds, _ in runs], "time": runs[-1][1]}))
