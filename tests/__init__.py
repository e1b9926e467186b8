"""The tests: laid out as the packages, and run by ``make test``."""

import signal

# A background job, cron and some CI start programs with Ctrl-C ignored, and so are their children.
# Tests that send it, here or to a child, need it as a terminal has it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
