"""Damaged part files from seeds: every format, and what `abut check` must never do with one (crash, hang, traceback).

By hand: `PYTHONPATH=tests python -m geometry.damage --seeds 0 2000 [--kinds obj glb step ...]`.
"""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import traceback
import zipfile
from pathlib import Path

import numpy as np

from abut import Solid
from abut.app import cli
from geometry.part_files import assembly, write_nested_3mf, write_obj, write_off, write_ply
from step_file import write_step

MODEL = "3D/3dmodel.model"
WORDS = [
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "3",
    "255",
    "99999999999",
    "9999999999999999999999",
    "1e9",
    "1e-320",
    "0x10",
    "é",
    "\x00",
    ",",
]
NUMBERS = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 0x7F800000, 0x7FC00000, 0x7F7FFFFF, 0x00000001]
SLOWEST = 20.0
"""[s] of processor time for one file, far more than any of them needs."""


def samples(folder):
    """One small sound file of each kind, as bytes; the part is a block with a notch."""
    block = Solid.extrude([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)], 1.0, name="block")
    write_obj(folder / "obj.obj", block.vertices, block.triangles.tolist())
    write_off(folder / "off.off", block.vertices, block.triangles.tolist())
    for order in ("ascii", "binary_little_endian", "binary_big_endian"):
        write_ply(folder / f"ply_{order}.ply", block.vertices, block.triangles.tolist(), order)
    write_nested_3mf(folder / "3mf.3mf")
    scene, _, _ = assembly()
    scene.export(folder / "glb.glb")
    mesh = next(iter(scene.geometry.values()))
    (folder / "stl_binary.stl").write_bytes(mesh.export(file_type="stl"))
    (folder / "stl_text.stl").write_text(mesh.export(file_type="stl_ascii"))
    write_step(folder / "step.step", [block])
    return {path.stem: (path.suffix, path.read_bytes()) for path in folder.iterdir()}


def damaged(kind, content, rng):
    """The content with one to three faults, mostly one."""
    if kind == "3mf" and rng.random() < 0.8:
        return _repacked(content, rng)
    for _ in range(min(3, rng.geometric(0.8))):
        content = FAULTS[rng.integers(len(FAULTS))](content, rng)
    return content


def _repacked(package, rng):
    """A sound archive of a damaged model: few other archives pass their checksums."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        model = archive.read(MODEL)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(MODEL, damaged("xml", model, rng))
    return out.getvalue()


def _slice(content, rng, longest=64):
    start = int(rng.integers(len(content)))
    return start, min(len(content), start + int(rng.integers(1, longest)))


def _byte(content, rng):
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([rng.integers(256)]) + content[at + 1 :]


def _bit(content, rng):
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]


def _cut(content, rng):
    start, end = _slice(content, rng)
    return content[:start] + content[end:] or b"\n"


def _repeated(content, rng):
    start, end = _slice(content, rng)
    return content[:end] + content[start:]


def _truncated(content, rng):
    return content[: 1 + int(rng.integers(len(content)))]


def _word(content, rng):
    """Another word in the place of one of the numbers and names of a text."""
    start, _ = _slice(content, rng)
    end = start
    while end < len(content) and content[end : end + 1] not in b" \n\t\",()'=:;<>":
        end += 1
    while start > 0 and content[start - 1 : start] not in b" \n\t\",()'=:;<>":
        start -= 1
    return content[:start] + WORDS[rng.integers(len(WORDS))].encode() + content[end:]


def _number(content, rng):
    """Another number in four bytes of a table."""
    at = int(rng.integers(len(content)))
    value = int(NUMBERS[rng.integers(len(NUMBERS))]) & 0xFFFFFFFF
    return content[:at] + value.to_bytes(4, "little" if rng.random() < 0.5 else "big") + content[at + 4 :]


FAULTS = (_byte, _bit, _byte, _bit, _word, _word, _word, _word, _number, _number, _cut, _repeated, _truncated)


def _processor_time():
    """[s] of this process and of those it has started; on a busy machine the clock says nothing."""
    return sum(os.times()[:4])


def verdict(path, options):
    """What is wrong with how `abut check` took a file, else an empty string; and its exit code."""
    out, err, started = io.StringIO(), io.StringIO(), _processor_time()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run(["check", "--json", *options, str(path)])
    except BaseException:
        return f"traceback: {traceback.format_exc()}", -1
    took = _processor_time() - started
    if took > SLOWEST:
        return f"took {took:.1f} s", code
    if code not in (0, 1, 2):
        return f"exit code {code}", code
    result = json.loads(out.getvalue())["files"][0]
    sentence = result.get("error", "")
    noise = [line for line in err.getvalue().splitlines() if not line.startswith("abut: ")]
    if (code == 2) != bool(sentence) or "\n" in sentence or len(sentence) > 600 or noise:
        return f"exit code {code} with {sentence!r} and {err.getvalue()!r}", code
    return ("" if not sentence or str(path) in sentence else f"does not name its file: {sentence!r}"), code


def torment(kinds, seeds, folder, report):
    """Damage and check files; returns how many had each exit code. Failures go to `report`."""
    (folder / "whole").mkdir()
    codes = {0: 0, 1: 0, 2: 0, -1: 0}
    for number, (kind, (suffix, content)) in enumerate(sorted(samples(folder / "whole").items())):
        if kinds and kind not in kinds and suffix[1:] not in kinds:
            continue
        for seed in seeds:
            rng = np.random.default_rng((number, seed))
            path = folder / f"{kind}_{seed}{suffix}"
            path.write_bytes(damaged(kind, content, rng))
            fault, code = verdict(path, ["--repair"] if rng.random() < 0.5 else [])
            codes[code] += 1
            if fault:
                report(f"{kind} seed {seed}: {fault}")
            else:
                path.unlink()
    return codes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 100), help="first seed and the one behind the last")
    parser.add_argument("--kinds", nargs="*", default=())
    parser.add_argument("--keep", type=Path, help="folder in which the files that failed are kept")
    chosen = parser.parse_args()
    failures = []

    def report(text):
        failures.append(text)
        print(text, flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        codes = torment(chosen.kinds, range(*chosen.seeds), folder, report)
    n = sum(codes.values())
    print(f"{n} files: {codes[0]} sound, {codes[1]} unsound, {codes[2]} refused, {len(failures)} failed")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
