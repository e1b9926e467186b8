"""Signals are noted in regions, and delivered at their end unless a result is kept."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from atomlearn import interrupts
from atomlearn.interrupts import Deferred, Terminated, check, cleaned_up, requested, waiting

needs_compilation = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="about compiled kernels"
)


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def test_a_signal_is_delivered_at_the_end():
    reached = False
    with pytest.raises(KeyboardInterrupt), Deferred():
        ctrl_c()
        reached = requested()
    assert reached and not requested()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_regions_within_share_the_note_and_leave_it_to_the_outermost():
    with Deferred() as outer:
        with Deferred(learning=True) as inner:
            ctrl_c()
        assert inner is outer and requested()
        outer.kept = True
    assert outer.signal == signal.SIGINT and outer.exit_code == 130
    with Deferred() as later:
        assert later.signal == 0 and not requested()


def test_an_error_within_is_not_replaced():
    with pytest.raises(ZeroDivisionError), Deferred():
        ctrl_c()
        _ = 1 / 0


def test_check_raises_where_it_is_safe():
    check()
    with pytest.raises(KeyboardInterrupt), Deferred() as note:
        note.kept = True
        ctrl_c()
        check()


def test_who_only_waits_is_interrupted_at_once():
    with Deferred() as note:
        note.kept = True
        with pytest.raises(KeyboardInterrupt), waiting():
            ctrl_c()
            raise AssertionError("waited on")
        with pytest.raises(KeyboardInterrupt), waiting():
            raise AssertionError("waited although it was interrupted before")


def test_threads_see_the_note_and_install_nothing():
    seen = []

    def work():
        with Deferred(learning=True) as own:
            seen.append((own.signal, requested(), signal.getsignal(signal.SIGINT)))

    with Deferred() as note:
        note.kept = True
        ctrl_c()
        handler = signal.getsignal(signal.SIGINT)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [(0, True, handler)]


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None])
def test_a_handler_of_the_host_stays(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        with Deferred(learning=True) as note:
            assert signal.getsignal(signal.SIGINT) is handler
            ctrl_c()
        assert note.signal == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigterm_only_where_it_is_asked_for():
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with interrupts.terminable():
        with Deferred() as note:
            note.kept = True
            signal.raise_signal(signal.SIGTERM)
        assert note.exit_code == 143
        with pytest.raises(Terminated):
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Terminated), Deferred():
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_second_signal_in_an_interactive_session(monkeypatch):
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    monkeypatch.setattr(interrupts, "HASTE", 0.0)
    with pytest.raises(KeyboardInterrupt), Deferred(learning=True) as note:
        note.kept = True  # a model is there, but nobody wants to wait for it
        ctrl_c()
        ctrl_c()


def test_signals_in_haste_are_one():
    with Deferred(learning=True) as note:
        note.kept = True
        ctrl_c()
        ctrl_c()  # would end the process
    assert note.exit_code == 130


def test_a_second_signal_where_nothing_is_learned():
    with pytest.raises(KeyboardInterrupt), Deferred():
        ctrl_c()
        ctrl_c()


def run(script):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_second_signal_ends_the_process_and_cleans_up(tmp_path):
    done = run(f"""
        import signal, time
        from atomlearn import interrupts
        from atomlearn.files.container import replacing
        from atomlearn.files.container import private_folder
        from atomlearn.interrupts import Deferred
        with Deferred(learning=True):
            with private_folder({str(tmp_path)!r}), replacing({str(tmp_path / "f")!r}) as file:
                file.write(b"half of")
                signal.raise_signal(signal.SIGINT)
                time.sleep(interrupts.HASTE)
                signal.raise_signal(signal.SIGINT)
                print("not reached")
    """)
    assert done.returncode == 130 and done.stdout == ""
    assert done.stderr == "\natomlearn: interrupted again, ended at once\n"
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_shows_that_the_first_signal_was_seen():
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    script = """
import signal
from atomlearn.interrupts import Deferred
with Deferred({}) as note:
    signal.raise_signal(signal.SIGINT)
    note.kept = True
"""
    try:
        for how in ("", "learning=True"):
            subprocess.run([sys.executable, "-c", script.format(how)], stderr=theirs, check=True)
        told = os.read(ours, 1000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert told.count("atomlearn: stopping as soon as it is safe; Ctrl-C after a second ends") == 1


def test_a_cleanup_is_forgotten_when_it_is_not_needed_any_more():
    called = []
    with cleaned_up(lambda: called.append(1)):
        assert len(interrupts._cleanups) == 1
    assert interrupts._cleanups == [] and called == []


@needs_compilation
def test_no_kernel_is_left_by_a_signal():
    """Without protection this ends by SystemError or a segmentation fault."""
    done = run("""
        import os, signal, threading, time
        import numpy as np
        from atomlearn.engine.sparse_crossing import cross_until
        from atomlearn.engine.state import dual_of, master_of, positives_of
        rows = np.random.default_rng(0).integers(1 << 60, size=(3, 50, 1), dtype=np.uint64)
        positives, dual = positives_of(rows[0], rows[1], 64), dual_of(rows[2], 64)
        stream = np.zeros(1, dtype=np.uint64)
        def cross():
            master = master_of(rows[0, 0], rows[0, :0], positives, dual)
            cross_until(1000, 0, positives, dual, master, stream, 1 << 40, 0, False, False)
        cross()
        armed = threading.Event()
        def send():
            while True:
                armed.wait()
                armed.clear()
                time.sleep(0.002)
                os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=send, daemon=True).start()
        caught = 0
        for _ in range(200):
            try:
                armed.set()
                while True:
                    cross()
            except KeyboardInterrupt:
                caught += 1
        print("caught", caught)
    """)
    assert (done.returncode, done.stdout) == (0, "caught 200\n"), done.stderr[-2000:]


def test_tests_run_where_the_parent_ignores_ctrl_c():
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         f"{__file__}::test_a_signal_is_delivered_at_the_end"],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "1 passed" in told.stdout, told.stdout + told.stderr
