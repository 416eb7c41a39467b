"""Reports and exports of runs: they say what the record says, and need nothing but themselves."""

import csv
import json
import re

import numpy as np
import pytest

import abut
from abut.app.cli import run as abut_command
from abut.app.exports import save_csv
from abut.app.reports import figures, write_report
from abut.app.reports.page import report_page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "run"
    world = abut.scenes.stack(n=2).world
    world.run(0.06, record=path)
    return path


def test_figures_are_those_of_the_record(folder, capsys):
    run = abut.Run(folder)
    told = figures(run)
    assert told["totals"]["steps"] == len(run) - 1 and told["state"] == "finished" and told["complaint"] == ""
    assert told["totals"]["largest_force"] == run.contacts["force"].max()
    assert {pair["name"] for pair in told["pairs"]} == {"floor and box 0", "box 0 and box 1"}
    pair = next(pair for pair in told["pairs"] if pair["name"] == "floor and box 0")
    weight = sum(body.mass * 9.81 for body in run.first_world.bodies[1:])
    assert pair["mean_force"] == pytest.approx(weight, rel=0.2)
    assert told["curves"]["energy"]["lines"]["kinetic"] == run.kinetic_energy().tolist()
    assert abut_command(["report", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"] == told["totals"]


def test_contact_regions_of_the_end_are_told_with_their_forces(folder, tmp_path):
    run = abut.Run(folder)
    told = {one["bodies"]: one for one in figures(run)["regions"]}
    weights = [body.mass * 9.81 for body in run.first_world.bodies[1:]]
    assert set(told) == {"floor / box 0", "box 0 / box 1"}
    assert told["box 0 / box 1"]["dim"] == 2 and "face" in told["box 0 / box 1"]["features"]
    assert told["floor / box 0"]["force"] > told["box 0 / box 1"]["force"] > 0.5 * weights[1]
    write_report(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "what touches what at the end" in page and "10000 mm²" in page


def test_the_page_is_one_file_that_loads_nothing(folder, tmp_path):
    file = tmp_path / "report.html"
    write_report(abut.Run(folder), file)
    page = file.read_text()
    assert page.count("<iframe ") == 1 and page.count("<figure>") == 6
    assert "Copyright (c) 2022 Leon Sorokin" in page
    fetched = re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page)
    assert fetched == []
    told = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    assert len(told["curves"]["gap"]["times"]) == 60


def test_names_cannot_break_the_page(tmp_path):
    world = abut.World()
    world.add_body(abut.HalfSpace(), "</script><b>floor", fixed=True)
    world.add_body(abut.Solid.box(0.1), "{box} & 'x'", pose=abut.Pose((0, 0, 0.0501)))
    world.run(0.02, record=tmp_path / "run")
    write_report(abut.Run(tmp_path / "run"), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("</script>") == 3 and "<b>floor" not in page.split("<script")[0]


def test_tables_say_what_the_record_says(folder, tmp_path):
    assert abut_command(["export", str(folder), "--csv", "--out", str(tmp_path)]) == 0
    run = abut.Run(folder)
    with (tmp_path / "states.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["body"] == "box 1"]
    assert [float(row["z"]) for row in rows] == run.poses("box 1")[:, 2].tolist()
    with (tmp_path / "contacts.csv").open() as stream:
        assert sum(float(row["force"]) for row in csv.DictReader(stream)) == pytest.approx(run.contacts["force"].sum())
    parquet = pytest.importorskip("pyarrow.parquet")
    assert abut_command(["export", str(folder), "--parquet", "--out", str(tmp_path)]) == 0
    assert (
        parquet.read_table(tmp_path / "states.parquet").column("z").to_pylist()[:3] == run.all_poses[0, :, 2].tolist()
    )


def test_animations_hold_parts_and_arrows(folder, tmp_path):
    assert abut_command(["export", str(folder), "--glb", "--out", str(tmp_path), "--slow", "10"]) == 0
    content = (tmp_path / "run.glb").read_bytes()
    document = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
    names = [node["name"] for node in document["nodes"]]
    assert {"box 0", "box 1", "push 0"} <= set(names)
    paths = {channel["target"]["path"] for channel in document["animations"][0]["channels"]}
    assert paths == {"translation", "rotation", "scale"}


@pytest.mark.parametrize("kind", ["webp", "gif", "avif"])
def test_pictures_move(kind, folder, tmp_path):
    from PIL import Image, features

    if kind == "avif" and not features.check("avif"):
        pytest.skip("this Pillow writes no AVIF")
    assert abut_command(["export", str(folder), f"--{kind}", "--out", str(tmp_path)]) == 0
    with Image.open(tmp_path / f"run.{kind}") as image:
        assert image.n_frames >= 2 and image.size == (480, 480)


def test_one_page_replays_the_run_offline(folder, tmp_path):
    assert abut_command(["export", str(folder), "--html", "--out", str(tmp_path / "new" / "folder")]) == 0
    assert abut_command(["export", str(folder), "--html", "--out", str(tmp_path / "named.html")]) == 0
    page = (tmp_path / "named.html").read_text()
    assert (tmp_path / "new" / "folder" / f"{folder.name}.html").read_text() == page
    assert page.count('id="abut-record"') == 1
    assert re.findall(r"""<(?:script|link|img|iframe)[^>]*\b(?:src|href)=["'](?!data:)""", page) == []


def test_mistakes_are_sentences(folder, tmp_path, capsys):
    for arguments, words in (
        (["report", str(tmp_path)], "holds no run"),
        (["export", str(folder)], "say what to write"),
        (["export", str(tmp_path / "nowhere"), "--csv"], "there is no such folder"),
        (["report", str(folder), "--out", str(tmp_path / "no" / "r.html")], "cannot be written"),
    ):
        assert abut_command(arguments) == 2
        printed = capsys.readouterr().err
        assert words in printed and "Traceback" not in printed
    assert np.isfinite(abut.Run(folder).times).all()


def test_events_are_tables_and_those_that_are_not_listed_are_counted(tmp_path):
    """A ball that bounces 130 times, as the method "event" tells it."""
    world = abut.World(method="event", restitution=0.95, dt=0.5)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    world.add_body(abut.Sphere(0.1), "ball", pose=abut.Pose((0.0, 0.0, 0.3)))
    with abut.recording(world, tmp_path / "run") as recorder:
        while len(world.events) < 130:
            recorder.step()
    run, n = abut.Run(tmp_path / "run"), len(world.events)
    told = figures(run)
    assert len(told["events"]) == 100 and told["more_events"] == n - 100
    assert f"and {n - 100:,} more" in report_page(run, told)
    file = next(file for file in save_csv(run, tmp_path) if file.name == "events.csv")
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [float(row["time"]) for row in rows] == [event.time for event in world.events]
    assert rows[0]["kind"] == "impact" and rows[0]["body_b"] == "ball" and rows[0]["feature_a"] == "face 0"
    assert float(rows[0]["impulse_z"]) == world.events[0].impulse[2]
