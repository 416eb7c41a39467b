"""Who may speak with the server: those who know the token, from a page of this server, no faster than a hand moves."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request

LOCAL = ("127.0.0.1", "localhost", "::1")
MOST_PER_SECOND = 500.0
"""Messages of one page."""
BURST = 1000.0
"""Messages that may come at once."""
HEAVY_PER_SECOND, HEAVY_BURST = 30.0, 60.0
"""Commands of one page that take the physics longer than a step."""


class Guard:
    """Checks requests against the token and the names under which the server is known."""

    def __init__(self, token: str, host: str, port: int) -> None:
        names = {*LOCAL, host} if host in LOCAL else {host}
        self._token, self._any = token, host in ("0.0.0.0", "::")
        self._hosts = {_with_port(name, port) for name in names}

    def refusal(self, request: Request) -> str:
        """Why a request is refused; empty if it is not."""
        host = request.headers.get("Host", "")
        if not self._any and host not in self._hosts:
            return "this server is not known under that name"
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "only pages of this server may speak with it"
        given = parse_qs(urlsplit(request.path).query).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return "the address lacks the token that abut play printed; open the address as it was printed"
        return ""


def _with_port(name: str, port: int) -> str:
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


class Rate:
    """How many messages a page may still send: some each second, more at once after a pause."""

    def __init__(self, per_second: float = MOST_PER_SECOND, burst: float = BURST) -> None:
        self._per_second, self._burst = per_second, burst
        self._left, self._then = burst, time.monotonic()

    def allows(self) -> bool:
        """Whether one more message may come now."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._per_second * (now - self._then))
        self._then = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


PAGE_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page may run the scripts that it brings with it, by their hashes, and speak with this server only."""
_SCRIPT = re.compile(rb"<script[^>]*>(.*?)</script>", re.DOTALL)


def page_headers(page: bytes) -> Headers:
    """With which the page is handed out."""
    found = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(page))
    policy = POLICY.format(scripts=" ".join(f"'sha256-{digest}'" for digest in found))
    return Headers({**PAGE_HEADERS, "Content-Security-Policy": policy, "Content-Length": str(len(page))})
