"""Draw the pictures of docs/friction.md, docs/pictures/friction_*.png: `python docs/make_pictures/friction.py`."""

from __future__ import annotations

from pathlib import Path

from abut.app.draw import Image, save_png, strip
from abut.app.scene_run import camera_for, picture, run_scene
from abut.scene import scenes
from abut.scene.scenes import Scene

PICTURES = Path(__file__).parents[1] / "pictures"


def at_the_end(scene: Scene, size: tuple[int, int]) -> Image:
    """A scene after its time, with its forces."""
    record = run_scene(scene, 4, lambda record: None)
    return picture(scene, record.moments[-1], camera_for(scene, record.moments, size), size)


def main() -> None:
    """Draw them all."""
    save_png(PICTURES / "friction_arch.png", at_the_end(scenes.arch(), (900, 500)), colours=128)
    names = ("rough_incline", "card_house", "jamming_peg", "held_nut")
    pictures = [at_the_end(scenes.make(name), (320, 300)) for name in names]
    captions = ["inclines", "card house", "jamming peg", "nut held by friction"]
    save_png(PICTURES / "friction_scenes.png", strip(pictures, captions=captions), colours=128)


if __name__ == "__main__":
    main()
