"""Who may come in: addresses, hosts, origins and the token.

A page of another site can send requests to this machine, also through a name that it lets point
here. So every request must name a host that is ours, every one that changes something and every
websocket must come from our own page, and bring the token. The token is in our page, which no other
site can read.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from armwerk.errors import DescriptionError

LOOPBACK = "127.0.0.1"
_OURS = ("127.0.0.1", "localhost", "::1")
_SHORTEST = 16  # characters of a token


def is_loopback(address: str) -> bool:
    """Say whether an address is only reached from this machine."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


@dataclass(frozen=True, slots=True)
class Doors:
    """What is open to whom.

    Args:
        address: To listen on.
        port: To listen on.
        token: What a viewer must know; empty: a new one is made up.
        names: More names under which this machine is reached.

    Raises:
        DescriptionError: For an address others can reach without a token of 16 characters.
    """

    address: str = LOOPBACK
    port: int = 0
    token: str = ""
    names: tuple[str, ...] = ()
    is_open: bool = field(init=False)

    def __post_init__(self) -> None:
        if not is_loopback(self.address) and len(self.token) < _SHORTEST:
            raise DescriptionError(
                "others can reach this address, so it needs a token",
                element=f"address {self.address}",
                allowed=f"--token with {_SHORTEST} characters or more; or {LOOPBACK}",
            )
        object.__setattr__(self, "is_open", not is_loopback(self.address))
        if not self.token:
            object.__setattr__(self, "token", secrets.token_urlsafe(24))

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts that requests may name."""
        every = self.address in {"0.0.0.0", "::"}  # all addresses of this machine
        own = () if every else (self.address,)
        return frozenset((*_OURS, *own, *self.names))

    def knows_host(self, header: str | None) -> bool:
        """Say whether a Host header names this server."""
        if not header:
            return False
        try:
            parts = urlsplit(f"//{header}")
            host, port = parts.hostname, parts.port
        except ValueError:
            return False
        return host in self.hosts and (port or 80) == self.port and not parts.path

    def knows_origin(self, header: str | None, host: str | None) -> bool:
        """Say whether an Origin header is that of our own page, as it was opened."""
        return bool(header) and self.knows_host(host) and header == f"http://{host}"

    def knows_token(self, token: str | None) -> bool:
        """Say whether somebody knows the token; takes as long for any answer."""
        return secrets.compare_digest((token or "").encode(), self.token.encode())

    @property
    def url(self) -> str:
        """Where the page is."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        token = f"?token={self.token}" if self.is_open else ""
        return f"http://{host}:{self.port}/{token}"


def policy(host: str) -> dict[str, str]:
    """Return the headers of every answer: what the page may load and who may embed it."""
    rules = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        f"connect-src 'self' ws://{host}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(rules),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
