"""``--serve``: the page with live learning, for this machine only.

The server listens on 127.0.0.1. Every address begins with a random token, known only to the user
who started the server; requests with another Host (a name that was rebound to this machine) or
Origin (another page in the same browser) are refused, and so are large ones."""

import asyncio
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from atomlearn.errors import AtomlearnError, MissingExtra
from atomlearn.explorer.live import Live, Session
from atomlearn.explorer.page import explorer_page

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
MOST_BYTES = 20 << 20
"""A table that is uploaded may have at most this many bytes."""
MOST_ASKED = 64 << 10
"""Any other request may have at most this many bytes."""
MOST_WATCHING = 8
"""At most this many pages may watch at a time."""
PAUSE = 0.1
"""Time in seconds between two checks for events."""
BEAT = 15.0
"""Time in seconds after which a silent stream sends a sign of life."""
BACKLOG = 1024
"""At most this many connections wait to be accepted."""
PATIENCE = 5.0
"""Time in seconds after which an idle connection is closed."""
MOST_DIGITS = 15
"""The number of an event has at most this many digits."""

HEADERS = {
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",  # the address has the token in it
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"cross-origin-resource-policy": b"same-origin",
}


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


class LocalOnly:
    """A filter of requests that do not come from the page itself, on this machine."""

    def __init__(self, app: "ASGIApp", token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        from starlette.responses import PlainTextResponse

        refused = self.refusal(scope)
        answer = self.app if refused is None else PlainTextResponse(refused[1], refused[0])

        async def send_marked(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS.items()]
            await send(message)

        await answer(scope, receive, send_marked)

    def refusal(self, scope: "Scope") -> tuple[int, str] | None:
        """Return the status and text of a refusal, or ``None`` if the request is accepted."""
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return 403, "this server answers to 127.0.0.1 and localhost only"
        client = scope.get("client")
        if client is not None and client[0] not in (HOST, "::1"):
            return 403, "this server answers to this machine only"
        origins = [value for name, value in headers if name == b"origin"]
        sites = [value for name, value in headers if name == b"sec-fetch-site"]
        if any(origin != f"http://{hosts[0]}" for origin in origins) or any(
            site not in ("same-origin", "none") for site in sites
        ):
            return 403, "this server answers to its own page only"
        if scope["method"] == "POST" and not origins:
            return 403, "a request that changes something must say where it comes from (Origin)"
        parts = scope["path"].split("/")
        if len(parts) < 2 or not secrets.compare_digest(parts[1].encode(), self.token.encode()):
            return 404, "not found: use the address that atomlearn printed, with its token"
        return None


def application(
    live: Live, title: str, token: str, port: int, is_ending: Callable[[], bool]
) -> "Starlette":
    """Return the application of a server, in Starlette; streams end when it ``is_ending``."""
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.responses import HTMLResponse, JSONResponse, StreamingResponse
        from starlette.routing import Route
    except ImportError:
        raise MissingExtra(NEEDED) from None
    session = Session(live)
    watching = 0

    async def page(request: "Request") -> "Response":
        data = await asyncio.to_thread(live.data)
        return HTMLResponse(explorer_page(data.get("title", title), data, connect="'self'"))

    async def events(request: "Request") -> "Response":
        if watching >= MOST_WATCHING:
            return JSONResponse({"error": "too many pages are watching"}, 429)
        seen = request.headers.get("last-event-id", "0")
        is_number = seen.isascii() and seen.isdecimal() and len(seen) <= MOST_DIGITS
        after = int(seen) if is_number else 0
        return StreamingResponse(
            stream(after), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
        )

    async def stream(after: int) -> AsyncIterator[str]:
        nonlocal watching
        watching += 1
        silent = 0.0
        try:
            yield "retry: 1000\n\n"
            while not is_ending():
                for number, event in session.events(after):
                    after, silent = number, 0.0
                    yield f"id: {number}\ndata: {json.dumps(event)}\n\n"
                if silent >= BEAT:
                    silent = 0.0
                    yield ": still here\n\n"
                await asyncio.sleep(PAUSE)
                silent += PAUSE
        finally:
            watching -= 1

    async def learn(request: "Request") -> "Response":
        content = await limited(request, MOST_ASKED)
        asked = None if content is None else parsed(content)
        if content is None or asked is None:
            return JSONResponse(
                {"error": "expected a small JSON object"}, 413 if content is None else 400
            )
        return await answered(lambda: session.begin(asked))

    async def stop(request: "Request") -> "Response":
        return await answered(session.stop)

    async def go_on(request: "Request") -> "Response":
        return await answered(session.go_on)

    async def upload(request: "Request") -> "Response":
        content = await limited(request, MOST_BYTES)
        if content is None:
            return JSONResponse({"error": f"a file may have at most {MOST_BYTES >> 20} MB"}, 413)
        name = request.query_params.get("name", "")[:200].strip() or "table.csv"
        return await answered(lambda: live.upload(name, content))

    async def answered(action: Any) -> "Response":
        try:
            result = await asyncio.to_thread(action)
        except (AtomlearnError, ValueError) as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse(result or {"state": session.state})

    base = f"/{token}"
    routes = [
        Route(f"{base}/", page),
        Route(f"{base}/events", events),
        Route(f"{base}/learn", learn, methods=["POST"]),
        Route(f"{base}/stop", stop, methods=["POST"]),
        Route(f"{base}/go", go_on, methods=["POST"]),
        Route(f"{base}/upload", upload, methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(LocalOnly, token=token, port=port)])


async def limited(request: "Request", most: int) -> bytes | None:
    """The body of a request; ``None`` if it is larger, whatever it says of its length."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most:
        return None
    parts, total = [], 0
    async for part in request.stream():
        total += len(part)
        if total > most:
            return None
        parts.append(part)
    return b"".join(parts)


def parsed(content: bytes) -> dict[str, Any] | None:
    """Return a JSON object, or ``None`` if the content is not one."""
    try:
        found = json.loads(content or b"{}")
    except (ValueError, RecursionError):  # lists in lists in lists
        return None
    return found if isinstance(found, dict) else None


NEEDED = "--serve needs Starlette and uvicorn: pip install 'atomlearn[serve]'"


def serve(live: Live, title: str, port: int, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C; ``announce`` is called with the address, which can be connected to."""
    server, listening, address = prepared(live, title, port)
    with listening:
        announce(address)
        server.run(sockets=[listening])


def prepared(
    live: Live, title: str, port: int, patience: float = PATIENCE
) -> "tuple[uvicorn.Server, socket.socket, str]":
    """Return a server that is ready to run, its socket, and the address of the page.

    Connections are accepted from now on and answered once the server runs; those that stay idle for
    ``patience`` seconds are closed.
    """
    try:
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol
    except ImportError:
        raise MissingExtra(NEEDED) from None

    class Impatient(H11Protocol):
        """A protocol that closes idle connections, so that they do not block others."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.loop.call_later(patience, self._close_if_idle)

        def _close_if_idle(self) -> None:
            request: object = self.cycle
            if request is None:
                self.transport.close()

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((HOST, port))
    listening.listen(BACKLOG)
    port, token = listening.getsockname()[1], new_token()
    servers: list[uvicorn.Server] = []  # made after the application, which asks for it
    app = application(live, title, token, port, lambda: servers[0].should_exit)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # the address has the token in it
        timeout_graceful_shutdown=1,
        server_header=False,
        lifespan="off",
        http=Impatient,
        backlog=BACKLOG,
    )
    servers.append(uvicorn.Server(config))
    return servers[0], listening, f"http://{HOST}:{port}/{token}/"
