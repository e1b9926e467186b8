"""The local server: who is refused, what is limited, and learning that is watched."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager

import httpx
import numpy as np
import pytest

from atomlearn.errors import InvalidProblem, InvalidTable
from atomlearn.explorer import server
from atomlearn.explorer.live import LiveBoard, LiveTable, Still
from atomlearn.explorer.server import LocalOnly, prepared
from atomlearn.explorer.session import Session
from tests.explorer import browser as web
from tests.explorer import pages

TABLE = "a,b,y\n" + "\n".join(f"{i % 7},{i % 3},{'no' if i % 7 < 3 else 'yes'}" for i in range(90))


@pytest.fixture(scope="module")
def flowers():
    return pages.iris(2)[0]


def wait_for(condition):
    for _ in range(20_000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("waited in vain")


@contextmanager
def running(live):
    """A server; gives the address of its page."""
    made, listening, address = prepared(live, "Live", 0)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        wait_for(lambda: made.started)
        yield address
    finally:
        made.should_exit = True
        thread.join()
        listening.close()


class Client:
    """Asks a server as its own page does, unless told otherwise."""

    def __init__(self, address):
        self.origin, self.token = address.rstrip("/").rsplit("/", 1)
        self.port = int(self.origin.rsplit(":", 1)[1])
        self.own = {"origin": self.origin}
        self.base = address
        self.http = httpx.Client(timeout=120)  # kernels may have to be compiled

    def get(self, path="", headers=None):
        return self.http.get(self.base + path, headers=headers)

    def post(self, path, headers=None, **content):
        return self.http.post(self.base + path, headers=headers or self.own, **content)


@pytest.fixture(scope="module")
def client(flowers):
    with running(LiveTable(flowers)) as address:
        yield Client(address)


def test_the_page_has_live_learning(client):
    answer = client.get()
    assert answer.status_code == 200
    assert "connect-src 'self'" in answer.text
    assert '"live":{"rows":' in answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"
    local = client.get(headers={"host": f"localhost:{client.port}"})
    assert local.status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", "{}x", "x{}", "{:.31}", "é", "%00"])
def test_without_the_token_there_is_nothing(client, token):
    path = f"{client.origin}/{token.format(client.token)}/"
    assert client.http.get(path).status_code == 404
    assert client.http.post(f"{path}stop", headers=client.own).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},  # a name that was rebound to this machine
        {"host": "evil.example:{port}"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:1"},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost:{port}"},  # not the host that was asked
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_other_hosts_and_origins_are_refused(client, headers):
    headers = {name: value.format(port=client.port) for name, value in headers.items()}
    assert client.get(headers=headers).status_code == 403
    assert client.post("learn", headers={**client.own, **headers}).status_code == 403


def test_what_changes_something_says_where_it_comes_from(client):
    assert client.http.post(client.base + "stop").status_code == 403
    assert client.post("stop").status_code == 200
    assert client.get("stop", client.own).status_code == 405


def test_other_machines_are_refused():
    local = LocalOnly(None, "token", 80)
    scope = {"headers": [(b"host", b"127.0.0.1:80")], "method": "GET", "path": "/token/"}
    assert local.refusal({**scope, "client": ("127.0.0.1", 5)}) is None
    status, _ = local.refusal({**scope, "client": ("192.168.0.9", 5)})
    assert status == 403


def test_sizes_are_limited(client, monkeypatch):
    monkeypatch.setattr(server, "MOST_BYTES", 100)
    long = b"a,y\n" + b"1,2\n" * 50

    def parts():  # without a length
        yield from (long[i : i + 10] for i in range(0, len(long), 10))

    for content in (long, parts()):
        answer = client.post("upload", content=content)
        assert answer.status_code == 413
    asked = {"target": "x" * server.MOST_ASKED}
    assert client.post("learn", json=asked).status_code == 413


@pytest.mark.parametrize("content", [b"[1]", b"{", b"\xff"])
def test_what_is_no_json_object_is_refused(client, content):
    assert client.post("learn", content=content).status_code == 400


def test_a_table_is_uploaded_and_its_mistakes_are_told(client):
    def upload(text):
        return client.post("upload?name=my.csv", content=text.encode())

    def learn(target):
        return client.post("learn", json={"target": target})

    assert "no table" in learn("y").json()["error"]
    assert upload(TABLE).json() == {"columns": ["a", "b", "y"], "rows": 90}
    assert "no column 'z'" in learn("z").json()["error"]
    assert learn("y").json() == {"state": "learning"}
    client.post("stop")
    wrong = upload("a,b\n1\n")
    assert wrong.status_code == 400 and wrong.json()["error"].startswith("my.csv:2: 1 cells")
    assert "/" not in wrong.json()["error"]  # nothing of where it was kept
    upload("a,y\n1,2\n3,\n")
    assert "row 1 has no 'y'" in learn("y").json()["error"]
    upload("a,y\n1,2\n3,2\n")
    assert "1 different values" in learn("y").json()["error"]


def test_learning_from_a_table_gets_better(flowers):
    live = LiveTable(flowers)
    steps = live.steps({})
    found = [next(steps) for _ in range(6)]
    assert [one["epoch"] for one in found] == [2, 4, 6, 8, 10, 12]
    assert found[-1]["pool"] > found[0]["pool"] and found[-1]["accuracy"] > 0.8
    assert live.data()["summary"]["rows"] == found[-1]["examples"]


def test_too_many_rows_or_classes_are_refused(flowers, monkeypatch):
    live = LiveTable(flowers)
    live.upload("t.csv", TABLE.encode())
    with pytest.raises(InvalidTable, match="2 to 100 classes"):
        live.upload("t.csv", ("a,y\n" + "\n".join(f"1,c{i}" for i in range(101))).encode())
        live.steps({"target": "y"})
    monkeypatch.setattr("atomlearn.explorer.live.MOST_ROWS", 50)
    with pytest.raises(InvalidTable, match="at most 50"):
        live.upload("t.csv", TABLE.encode())


def test_the_page_is_that_of_the_old_model_until_the_new_one_has_learned(flowers):
    live = LiveTable(flowers)
    live.upload("t.csv", TABLE.encode())
    steps = live.steps({"target": "y"})
    assert live.data()["model"]["classes"] == ["setosa", "versicolor", "virginica"]
    next(steps)
    told = live.data()
    assert told["model"]["classes"] == ["no", "yes"] and told["live"]["rows"] == 90
    assert len(told["examples"]) == 90


class Counting:
    """Steps that can be waited for."""

    def __init__(self):
        self.lock = threading.Lock()
        self.done = []

    def data(self):
        return {}

    def steps(self, asked):
        for i in range(asked["n"]):
            self.done.append((asked["n"], i))
            time.sleep(0.002)
            yield {"i": i}


def test_a_run_is_stopped_and_goes_on_and_is_replaced():
    live = Counting()
    session = Session(live)
    session.begin({"n": 10**6})
    wait_for(lambda: len(live.done) > 3)
    session.stop()
    time.sleep(0.05)
    stopped = len(live.done)
    time.sleep(0.05)
    assert len(live.done) == stopped and session.state == "stopped"
    session.go_on()
    wait_for(lambda: len(live.done) > stopped + 3)
    session.begin({"n": 5})
    wait_for(lambda: session.state == "done")
    assert [one for one in live.done if one[0] == 5] == [(5, i) for i in range(5)]
    events = [event for _, event in session.events(0)]
    second = [event for event in events if event["run"] == 2]
    assert [event.get("i", event.get("state")) for event in second] == [
        "learning",
        *range(5),
        "done",
    ]
    numbers = [number for number, _ in session.events(0)]
    assert numbers == list(range(1, len(events) + 1))
    assert session.events(numbers[-3]) == session.events(0)[-2:]


def test_boards_are_learned_for_the_givens_of_the_page():
    live = LiveBoard(6, [], 0)
    assert live.data()["epochs"] == []
    first = next(live.steps({"given": ["b1"]}))["board"]
    assert first["epoch"] == 1 and "b1" in first["chosen"]
    for wrong in ({"given": "b1"}, {"given": [1]}, {"given": ["z9"]}, {"given": ["b1", "b2"]}):
        with pytest.raises((InvalidProblem, ValueError)):
            live.steps(wrong)
    with pytest.raises(Exception, match="takes no files"):
        live.upload("x", b"")
    with pytest.raises(Exception, match="nothing is learned"):
        Still({}).steps({})


def test_events_are_streamed(flowers):
    with running(LiveTable(flowers)) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
        client = Client(address)
        assert client.post("learn", json={}).json() == {"state": "learning"}
        found = []
        with client.http.stream("GET", f"{address}events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    found.append(json.loads(line[6:]))
                if len(found) == 4:
                    break
        client.post("stop")
        assert found[0]["state"] == "learning"
        assert [one["epoch"] for one in found[1:]] == [2, 4, 6]


@pytest.mark.slow
@web.needs_browser
def test_learning_in_the_browser(flowers, tmp_path):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    with (
        running(LiveTable(flowers)) as address,
        running(LiveBoard(5, [], 0)) as board_address,
        web.started() as browser,
    ):
        with web.opened(browser, address) as page:
            page.get_by_role("button", name="Learn").click()
            page.locator('[data-curve="accuracy"] strong', has_text="%").wait_for()
            page.get_by_role("button", name="Stop").click()
            page.locator("button:enabled", has_text="Go on").click()
            page.get_by_label("a CSV table").set_input_files(tmp_path / "t.csv")
            page.get_by_label("column to predict").select_option("y")
            page.get_by_role("button", name="Learn anew").click()
            page.get_by_text(re.compile(r"Epoch ([4-9]|\d\d+): ")).wait_for()
            page.get_by_role("button", name="Stop").click()
            page.get_by_role("button", name="Show this model below").click()
            page.locator('[data-column="b"]').wait_for()
        with web.opened(browser, board_address) as page:
            page.get_by_role("group", name="your board").locator('[aria-label^="a1 "]').click()
            page.get_by_role("button", name="Learn").click()
            page.locator("p[aria-live]", has_text=re.compile("Epoch [3-9]: ")).wait_for()
            page.get_by_role("button", name="Stop").click()
            assert page.locator('[role="img"] .given').count() == 1


def test_the_command_needs_no_file_to_write(typed, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(server, "serve", lambda live, title, port, announce: said.append(live))
    code, _, err = typed("explore", "--queens", 4, "--serve", "-o", "p.html")
    assert code == 2 and "--serve writes no file" in err
    assert typed("explore", "--queens", 4, "--serve")[0] == 0
    assert isinstance(said[0], LiveBoard) and np.array_equal(said[0].given, [])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_server_quietly(tmp_path):
    command = [sys.executable, "-m", "atomlearn", "explore", "--queens", "4", "--serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        client = Client(process.stdout.readline().split()[0])
        wait_for(lambda: answers(client))
        client.post("learn", json={})
        with urllib.request.urlopen(client.base + "events") as stream:
            stream.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err and err.endswith("atomlearn: interrupted\n")


def answers(client):
    try:
        return client.get().status_code == 200
    except httpx.ConnectError:
        return False
