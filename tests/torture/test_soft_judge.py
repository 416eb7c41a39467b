"""The judge of soft bodies sees what it should see: faults are planted in skins, forces, momenta and energies."""

from dataclasses import replace

import numpy as np
import pytest
from torture.cases import draw
from torture.facts import Facts
from torture.finding import Verdict
from torture.reading import actors, look
from torture.skins import own_meeting, skin_overlaps, skins_at
from torture.soft_laws import soft_energy, soft_findings, strain_energy
from torture.soft_play import SoftGame

import abut

BOX = abut.Solid.box((1.0, 1.0, 1.0))
TRIANGLES = np.asarray(BOX.triangles, np.int64)


def meetings(skins, shape=None, height=0.0):
    world = abut.World()
    if shape is not None:
        world.add_body(shape, "rigid", fixed=True, pose=abut.Pose((0, 0, height)))
    return list(skin_overlaps(actors(world), look(world), skins, [TRIANGLES] * len(skins), set()))


@pytest.mark.parametrize(
    ("shape", "touching"),
    [
        (BOX, -1.0),
        (abut.Sphere(0.5), -1.0),
        (abut.Capsule(0.2, 0.6), -1.0),
        (abut.HalfSpace(normal=(0, 0, 1), offset=0.0), -0.5),
    ],
)
def test_a_skin_that_is_a_billionth_in_a_rigid_body_is_seen(shape, touching):
    for height, expected in ((touching + 1e-9, 1), (touching - 1e-9, 0)):
        assert len(meetings([BOX.vertices], shape, height)) == expected


def test_skins_that_meet_or_hold_each_other_are_seen():
    for shift, expected in ((1.0 - 1e-9, 1), (1.0 + 1e-9, 0)):
        assert len(meetings([BOX.vertices, BOX.vertices + np.array((shift, 0.3, 0.2))])) == expected
    assert len(meetings([BOX.vertices, 0.3 * BOX.vertices])) == 1
    assert len(meetings([0.3 * BOX.vertices], BOX)) == 1
    assert len(meetings([BOX.vertices], abut.Sphere(0.1))) == 1


def test_a_skin_that_crosses_itself_is_seen():
    ball = abut.Solid.sphere(1.0, subdivisions=2)
    triangles, flat = np.asarray(ball.triangles, np.int64), np.array(ball.vertices)
    assert own_meeting(flat[triangles].reshape(-1, 9), triangles) is None
    flat[flat[:, 2] > 0.9] -= (0.0, 0.0, 2.2)
    assert own_meeting(np.ascontiguousarray(flat[triangles].reshape(-1, 9)), triangles) is not None


def test_skins_that_pass_each_other_meet_on_the_way():
    world = abut.World()
    start = replace(look(world), skins=(BOX.vertices, BOX.vertices + np.array((3.0, 0.0, 0.0))))
    end = replace(start, skins=(BOX.vertices, BOX.vertices - (3.0, 0.0, 0.0)))
    assert meetings(list(start.skins)) == meetings(list(end.skins)) == []
    assert len(meetings(skins_at(start, end, 0.5))) == 1


def played(theme, steps, **world):
    """A game of a theme without events, after some steps: snapshots around the last one, and what it says."""
    seed = next(n for n in range(1000) if draw("softs", n)["theme"] == theme)
    case = draw("softs", seed) | {"events": []}
    case["world"] |= world
    for soft in case["softs"]:
        soft["damping"] = [0.0, 0.0]
    game = SoftGame(case)
    verdict = Verdict()
    for k in range(steps):
        game.turn(k, verdict)
    assert verdict.findings == []
    before, applied = look(game.world), game.world._state.wrench.copy()
    game._speeds = {}
    report = game.world.step()
    return game, before, look(game.world), game._facts(applied, report, 0.0, before)


def laws(game, before, after, facts: Facts):
    return {finding.law for finding in game._law_findings(before, after, facts)}


@pytest.fixture(scope="module")
def meeting():
    """Two soft bodies while they push each other."""
    for steps in range(2, 40):
        found = played("met", steps, gravity=[0.0, 0.0, 0.0])
        if len(found[3].contacts) and found[3].contacts["force"].any() and found[3].report.parts == 1:
            return found
    raise AssertionError("they do not meet in one motion")


def test_a_step_in_which_soft_bodies_meet_breaks_no_law(meeting):
    assert laws(*meeting) == set()


def test_a_wrong_force_on_a_soft_body_is_noticed(meeting):
    game, before, after, facts = meeting
    contacts = facts.contacts.copy()
    contacts["force"] *= 1.0 + 1e-6
    assert "forces" in laws(game, before, after, replace(facts, contacts=contacts))


def test_lost_momentum_of_soft_bodies_is_noticed(meeting):
    game, before, after, facts = meeting
    speeds = (after.speeds[0] * (1.0 - 1e-6), *after.speeds[1:])
    assert {"forces", "momentum"} <= laws(game, before, replace(after, speeds=speeds), facts)


def test_lost_spin_of_soft_bodies_is_noticed(meeting):
    game, before, after, facts = meeting
    x = after.nodes[0] - after.nodes[0].mean(axis=0)
    spun = after.speeds[0] + 0.1 * np.abs(after.speeds[0]).max() / np.abs(x).max() * np.cross((0.0, 0.0, 1.0), x)
    shift = game.cages[0].mass @ (spun - after.speeds[0]) / game.cages[0].mass.sum()
    found = soft_findings(
        game.cages,
        game.cast,
        before,
        replace(after, speeds=(spun - shift, *after.speeds[1:])),
        facts,
        game._bonds(before, after),
    )
    assert any("spin" in finding.text for finding in found)


def test_strain_from_nothing_is_noticed(meeting):
    game, before, after, facts = meeting
    middle = after.nodes[0].mean(axis=0)
    energy = soft_energy(game.cages, before)
    for stretch in (1.01, 1.1, 1.5, 3.0, 10.0):
        nodes = (middle + stretch * (after.nodes[0] - middle), *after.nodes[1:])
        if soft_energy(game.cages, replace(after, nodes=nodes)) > 1.1 * energy:
            assert "energy" in laws(game, before, replace(after, nodes=nodes), facts)
            return
    raise AssertionError("nothing was stretched by much")


def test_a_node_that_is_no_number_is_noticed(meeting):
    game, before, after, facts = meeting
    nodes = (after.nodes[0] + np.nan, *after.nodes[1:])
    assert "finite" in laws(game, before, replace(after, nodes=nodes), facts)


def test_strain_energy_is_that_of_the_material():
    """Of a bar that is stretched by 1e-3 with no lateral strain: E V e^2 (1 - nu) / (2 (1 + nu) (1 - 2 nu))."""
    game, *_ = played("met", 1)
    cage, recipe = game.cages[0], game.case["softs"][0]
    rest = game.softs[0].mesh.nodes
    nu, e = recipe["poisson"], 1e-3
    modulus = recipe["young"] * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))
    expected = 0.5 * modulus * e**2 * cage.volume.sum()
    assert strain_energy(cage, rest * (1.0 + e, 1.0, 1.0)) == pytest.approx(expected, rel=1e-9)
    turned = rest @ abut.Pose.from_rotvec((0, 0, 0), (1.0, 2.0, -1.0)).rotation.T
    assert strain_energy(cage, turned) < 1e-20 * recipe["young"] * cage.volume.sum()


def test_a_skin_in_a_wrong_place_is_noticed():
    case = draw("softs", 3)
    case["softs"][0]["skin"] = True
    game = SoftGame(case)
    assert game.wrong_skins == []
    case["softs"][0]["position"][0] += 1e-6
    from torture.soft_play import _wrong_skins

    assert [finding.law for finding in _wrong_skins(case, game.last)] == ["skin"]


def test_skins_put_into_each_other_are_refused_or_noticed():
    case = draw("softs", next(n for n in range(100) if draw("softs", n)["theme"] == "met")) | {"events": []}
    case["softs"][1]["position"] = list(case["softs"][0]["position"])
    with pytest.raises(abut.AbutError):
        SoftGame(case).world.step()
    game = SoftGame(case)
    assert "overlap" in {f.law for f in game._met(game.last, list(game.last.skins), "overlap", "now")}
