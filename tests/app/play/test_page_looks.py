"""The page looks as in docs/pictures, which people have looked at; `make docs-pictures` draws them again."""

import pytest
from PIL import Image

from browser import CHROMIUM, chromium

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
]


def test_the_page_looks_as_in_the_docs(tmp_path):
    from page_looks import PICTURES, difference, live_looks, replay_look

    with chromium() as browser:
        looks = {**dict(live_looks(browser)), **dict([replay_look(browser, tmp_path)])}
    for name, image in looks.items():
        image.save(tmp_path / f"{name}.png")
        kept = Image.open(PICTURES / f"{name}.png").convert("RGB")
        assert kept.size == image.size
        mean, large = difference(kept, image)
        assert mean < 2.0 and large < 40.0, f"{name}: {mean:.2f}, {large:.1f}; now in {tmp_path}"


def test_pictures_of_other_looks_differ():
    from page_looks import PICTURES, difference

    light, dark = (Image.open(PICTURES / f"{name}.png").convert("RGB") for name in ("play", "play_dark"))
    assert difference(light, light) == (0.0, 0.0)
    assert difference(light, dark)[0] > 50.0
