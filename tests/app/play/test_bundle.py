"""The page that is shipped: small, in one file, and made of packages that anybody's registry has."""

import gzip
import json
import re
from pathlib import Path

from abut.app.play.frame import CONTACT, CONTACT_WIDTH
from abut.app.play.server import PAGE

WEB = Path(__file__).parents[3] / "web"


def test_the_page_is_small():
    page = PAGE.read_bytes()
    assert len(page) < 1_000_000
    assert len(gzip.compress(page, mtime=0)) < 300_000


def test_the_page_loads_nothing_else():
    page = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"""<(?:script|link|img|iframe)[^>]*\b(?:src|href)=["'](?!data:)""", page) == []


def test_the_page_reads_contacts_as_they_are_written():
    text = (WEB / "src" / "net" / "messages.ts").read_text(encoding="utf-8")
    written = re.search(r"CONTACT = \{(.*?)\}", text).group(1)
    assert {name: int(at) for name, at in re.findall(r"(\w+): (\d+)", written)} == CONTACT
    assert f"CONTACT_WIDTH = {CONTACT_WIDTH}\n" in text


def test_the_lock_names_versions_but_no_addresses_and_lacks_no_platform():
    packages = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert not any("resolved" in package for package in packages.values())
    wanted = {name for package in packages.values() for name in package.get("optionalDependencies", {})}
    assert {f"node_modules/{name}" for name in wanted} <= set(packages)
