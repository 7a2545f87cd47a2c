#: does = "keeps all processors busy in many processes, none of which needs much time for itself"
#: ends = ["timeout"]
#: limits = {cpu_s = 0.6, wall_s = 20.0}
#: harm = "said"
#: needs = "cgroup"
import os

pids = []
while not os.environ.get("HARMLESS") or len(pids) < 4:
    if (pid := os.fork()) == 0:
        while sum(os.times()[:2]) < 0.3:
            sum(range(10_000))
        os._exit(0)
    pids.append(pid)
    if len(pids) % 4 == 0:
        for pid in pids[-4:]:
            os.waitpid(pid, 0)
spent = os.times()
if spent.children_user + spent.children_system > 0.9:
    print("HARM", spent)
