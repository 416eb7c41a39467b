"""Who is let in: those with the token, from a page of this server."""

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from abut.app.play.guard import BURST, Guard, Rate, page_headers
from abut.app.play.server import PAGE


def request(path="/?token=secret", host="127.0.0.1:8321", origin=None):
    headers = Headers({"Host": host})
    if origin is not None:
        headers["Origin"] = origin
    return Request(path, headers)


@pytest.mark.parametrize(
    "asked",
    [
        request("/"),
        request("/?token=wrong"),
        request("/?token="),
        request(host="evil.example:8321"),
        request(host="127.0.0.1:80"),
        request(host=""),
        request(origin="http://evil.example"),
        request("/ws?token=secret", origin="http://localhost:8321"),
        request(origin="null"),
    ],
)
def test_strangers_are_refused(asked):
    assert Guard("secret", "127.0.0.1", 8321).refusal(asked)


def test_the_page_is_let_in():
    guard = Guard("secret", "127.0.0.1", 8321)
    assert guard.refusal(request()) == ""
    assert guard.refusal(request("/ws?token=secret", origin="http://127.0.0.1:8321")) == ""
    assert guard.refusal(request("/ws?token=secret", host="localhost:8321", origin="http://localhost:8321")) == ""


def test_a_page_that_sends_too_much_is_stopped():
    rate = Rate()
    assert sum(rate.allows() for _ in range(3 * int(BURST))) < 1.5 * BURST


def test_the_page_may_run_its_own_scripts_only_and_is_small():
    page = PAGE.read_bytes()
    policy = page_headers(page)["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert len(page) < 1_000_000 and b"https://" not in page.split(b"<script")[0]
