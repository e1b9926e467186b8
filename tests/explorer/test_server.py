"""The local server: who is refused, what is limited, and learning that is watched."""

import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import ExitStack, contextmanager

import httpx
import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.errors import InvalidProblem, InvalidTable
from atomlearn.explorer import server
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.live import LiveBoard, LiveTable, Replaced, Session, Still
from atomlearn.explorer.server import LocalOnly, prepared
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
def running(live, **options):
    """A server; gives the address of its page."""
    made, listening, address = prepared(live, "Live", 0, **options)
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
    assert '"live":{"uploads":true' in answer.text
    assert "sends nothing" not in answer.text  # it does: to this server
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


def test_sizes_are_limited(client):
    megabyte = b"1,2\n" * (1 << 18)

    def parts():  # without a length
        yield from [megabyte] * 21

    for content in (megabyte * 21, parts()):
        answer = client.post("upload", content=content)
        assert answer.status_code == 413
    asked = {"target": "x" * server.MOST_ASKED}
    assert client.post("learn", json=asked).status_code == 413


@pytest.mark.parametrize("content", [b"[1]", b"{", b"\xff", b"[" * 60_000, b'{"a":' * 10_000])
def test_what_is_no_json_object_is_refused(client, content):
    assert client.post("learn", content=content).status_code == 400


@pytest.mark.parametrize("seen", ["9" * 5000, "-1", "x", "²", "9" * 14])
def test_odd_numbers_of_events_are_answered(client, seen):
    headers = {"last-event-id": seen.encode()}
    with client.http.stream("GET", f"{client.base}events", headers=headers) as answer:
        assert answer.status_code == 200
        assert next(answer.iter_lines()) == "retry: 1000"


def test_idle_connections_shut_nobody_out(flowers):
    with running(LiveTable(flowers), patience=0.5) as address, ExitStack() as opened:
        client = Client(address)
        assert client.get().status_code == 200  # the page is made
        idle = [
            opened.enter_context(socket.create_connection((server.HOST, client.port)))
            for _ in range(200)
        ]
        idle[0].sendall(b"GET / HTTP/1.1\r\n")  # and no more
        start = time.monotonic()
        assert Client(address).get().status_code == 200
        assert time.monotonic() - start < 2
        for one in idle:  # and they are closed
            one.settimeout(10)
            assert one.recv(1) == b""


def test_the_address_is_told_once_it_can_be_connected_to():
    def connect(address):
        port = int(address.split(":")[2].split("/")[0])
        socket.create_connection((server.HOST, port), timeout=1).close()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        server.serve(Still({}), "Still", 0, connect)


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


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfea,y", b"a,y\n\xe9,1\n", b"", b"\n\n", b"a,y\n", b"a,y\n1\n", b"a,a\n1,2\n",
     b'a,y\n"' + b"x" * 200_000],
)  # fmt: skip
def test_errors_name_the_table_as_it_was_uploaded(client, content):
    answer = client.post("upload?name=my.csv", content=content)
    assert answer.status_code == 400 and "my.csv" in answer.json()["error"]
    assert tempfile.gettempdir() not in answer.text and "table.csv" not in answer.text


def noisy_table(n=300):
    """A table that no model knows wholly, with equal rows and rows that contradict each other."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(9, size=n), rng.normal(size=n).round(1)
    y = np.where(a + 3 * b + 2 * rng.normal(size=n) > 4, "good", "bad")
    return "a,b,y\n" + "\n".join(",".join(map(str, row)) for row in zip(a, b, y, strict=True))


def learned(live, **asked):
    """The events of a run that nobody stops."""
    events = []
    live.run(asked)(events.append)
    return events


def assert_same_model(live, clf):
    told, own = live.data(), classifier_data(clf)
    assert told["model"] == own["model"]
    assert told["summary"]["error"] == clf.estimated_error_ == own["summary"]["error"]
    assert told["confusion"] == own["confusion"]


def test_an_uploaded_table_gives_the_model_of_fit_and_its_figures(flowers, tmp_path):
    live = LiveTable(flowers)
    live.upload("credit.csv", noisy_table().encode())
    events = learned(live, target="y")
    (tmp_path / "credit.csv").write_text(noisy_table(), encoding="utf-8")
    frame = pd.read_csv(tmp_path / "credit.csv")
    clf = AlgebraicClassifier(random_state=0).fit(frame[["a", "b"]], frame["y"])
    assert_same_model(live, clf)
    assert np.array_equal(
        live.classifier.predict_proba(frame[["a", "b"]]), clf.predict_proba(frame[["a", "b"]])
    )
    told, last = live.data(), events[-1]
    assert told["summary"]["rows"] == 300  # though some are equal
    assert last["summary"] == told["summary"] and last["source"]["rows"] == 300
    confusion = np.array(told["confusion"])
    assert 1 - confusion.trace() / confusion.sum() == pytest.approx(clf.estimated_error_)
    rounds = [one for one in events if "round" in one]
    assert [one["round"] for one in rounds] == list(range(1, len(rounds) + 1)) != []
    assert rounds[-1]["error"] == pytest.approx(clf.estimated_error_, abs=0.02)


def test_the_title_follows_the_data(flowers):
    live = LiveTable(flowers)
    with running(live) as address:
        client = Client(address)
        assert "<title>Live</title>" in client.get().text
        client.post("upload?name=credit.csv", content=TABLE.encode())
        learned(live, target="y")
        page = client.get().text
        assert "<title>credit</title>" in page and "<h1>credit</h1>" in page


def test_without_a_table_it_learns_from_the_sample_and_says_so(flowers):
    live = LiveTable(flowers)
    n = len(flowers.sample_.labels)
    assert live.data()["live"]["source"] == {"kind": "sample", "name": "", "rows": n}
    learned(live)
    assert_same_model(live, AlgebraicClassifier(random_state=0).fit(*live.source[2:4]))
    told = live.data()
    assert told["summary"]["rows"] == n and told["live"]["source"]["kind"] == "sample"
    assert "title" not in told


def test_the_seed_is_that_of_the_command(flowers):
    live = LiveTable(flowers, seed=7)
    live.upload("t.csv", TABLE.encode())
    learned(live, target="y")
    assert_same_model(live, AlgebraicClassifier(random_state=7).fit(*live.source[2:4]))


def test_a_fit_waits_while_it_is_stopped_and_ends_for_another(flowers):
    class StoppedOnce(LiveTable):
        """Presses stop after the first round."""

        def run(self, asked):
            learn, pressed = super().run(asked), []

            def press(event):
                if "round" in event and not pressed:
                    pressed.append(session.stop())

            return lambda tell: learn(lambda event: (press(event), tell(event)))

    live = StoppedOnce(flowers)
    session = Session(live)
    session.begin({})
    wait_for(lambda: session.state == "stopped")
    time.sleep(0.3)
    assert session.state == "stopped" and live.learned is None
    live.upload("t.csv", TABLE.encode())
    session.begin({"target": "y"})
    wait_for(lambda: session.state == "stopped")
    session.go_on()
    wait_for(lambda: session.state == "done")
    assert live.learned.name == "t.csv"
    by_run = [[event for _, event in session.events(0) if event["run"] == run] for run in (1, 2)]
    ended = [any("summary" in event for event in events) for events in by_run]
    assert ended == [False, True]
    assert_same_model(live, AlgebraicClassifier(random_state=0).fit(*live.source[2:4]))


def test_a_fit_that_fails_says_why_and_the_next_one_can_begin(flowers):
    live = LiveTable(flowers)
    session = Session(live)
    live.upload("t.csv", b"a,y\ninf,0\n1,1\n2,0\n")
    session.begin({"target": "y"})
    wait_for(lambda: session.state.startswith("failed"))
    assert "inf" in session.state
    live.upload("t.csv", TABLE.encode())
    session.begin({"target": "y"})
    wait_for(lambda: session.state == "done")


def test_too_many_rows_or_classes_are_refused(flowers):
    live = LiveTable(flowers)
    live.upload("t.csv", TABLE.encode())
    with pytest.raises(InvalidTable, match="2 to 100 classes"):
        live.upload("t.csv", ("a,y\n" + "\n".join(f"1,c{i}" for i in range(101))).encode())
        live.run({"target": "y"})
    with pytest.raises(InvalidTable, match="200,001 rows; at most 200,000"):
        live.upload("t.csv", b"a,y\n" + b"1,2\n" * 200_001)


def test_the_page_is_that_of_the_old_model_until_the_new_one_has_learned(flowers):
    live = LiveTable(flowers)
    live.upload("t.csv", TABLE.encode())
    learn = live.run({"target": "y"})
    assert live.data()["model"]["classes"] == ["setosa", "versicolor", "virginica"]
    learn(lambda event: None)
    told = live.data()
    assert told["model"]["classes"] == ["no", "yes"] and told["live"]["source"]["rows"] == 90
    assert len(told["examples"]) == 90


class Counting:
    """Steps that can be waited for."""

    def __init__(self):
        self.done = []

    def data(self):
        return {}

    def run(self, asked):
        def learn(tell):
            for i in range(asked["n"]):
                self.done.append((asked["n"], i))
                time.sleep(0.002)
                tell({"i": i})

        return learn


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
    events = []

    def tell(event):
        events.append(event)
        raise Replaced  # as if another run had begun

    with pytest.raises(Replaced):
        live.run({"given": ["b1"]})(tell)
    first = events[0]["board"]
    assert first["epoch"] == 1 and "b1" in first["chosen"]
    for wrong in ({"given": "b1"}, {"given": [1]}, {"given": ["z9"]}, {"given": ["b1", "b2"]}):
        with pytest.raises((InvalidProblem, ValueError)):
            live.run(wrong)
    with pytest.raises(Exception, match="takes no files"):
        live.upload("x", b"")
    with pytest.raises(Exception, match="nothing is learned"):
        Still({}).run({})


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
                if found and found[-1].get("state") == "done":
                    break
        assert found[0]["state"] == "learning"
        assert next(one["round"] for one in found if "round" in one) == 1
        assert found[-2]["summary"]["rows"] == len(flowers.sample_.labels)


@pytest.mark.slow
@web.needs_browser
def test_learning_in_the_browser(flowers, tmp_path):
    (tmp_path / "credit.csv").write_text(noisy_table(), encoding="utf-8")
    with (
        running(LiveTable(flowers)) as address,
        running(LiveBoard(5, [], 0)) as board_address,
        web.started() as browser,
    ):
        with web.opened(browser, address) as page:
            assert page.get_by_text(re.compile("Learns from a sample of 1.. training")).is_visible()
            page.get_by_role("button", name="Learn").click()
            page.get_by_label("a CSV table").set_input_files(tmp_path / "credit.csv")
            page.get_by_label("column to predict").select_option("y")
            page.get_by_role("button", name="Learn anew").click()
            # The model of the sample may be ready before learning begins anew.
            result = page.locator("p.result", has_text=re.compile("Learned in .*300 training rows"))
            result.wait_for()
            rounds = page.get_by_role("region", name="rounds").locator("tbody tr")
            assert "%" in rounds.last.inner_text()
            page.get_by_role("button", name="Show this model below").click()
            page.locator('[data-column="b"]').wait_for()
            assert page.title() == page.locator("h1").inner_text() == "credit"
            summary = page.locator("p.lead").inner_text()
            assert "300 training rows" in summary
            assert result.inner_text().endswith(summary)  # as before the page was loaded again
            assert page.get_by_text("Learns from the 300 rows of credit.csv.").is_visible()
        with web.opened(browser, board_address) as page:
            page.get_by_role("group", name="your board").locator('[aria-label^="a1 "]').click()
            page.get_by_role("button", name="Learn").click()
            page.locator("p[aria-live]", has_text=re.compile("Epoch [3-9]: ")).wait_for()
            page.get_by_role("button", name="Stop").click()
            assert page.locator('[role="img"] .given').count() == 1


def test_the_command_writes_no_file_if_it_serves(typed):
    code, _, err = typed("explore", "--queens", 4, "--serve", "-o", "p.html")
    assert code == 2 and "--serve writes no file" in err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_server_quietly(tmp_path):
    command = [sys.executable, "-m", "atomlearn", "explore", "--queens", "4", "--serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        client = Client(process.stdout.readline().split()[0])
        assert client.get().status_code == 200  # at once
        client.post("learn", json={})
        with urllib.request.urlopen(client.base + "events") as stream:
            stream.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err and err.endswith("atomlearn: interrupted\n")
