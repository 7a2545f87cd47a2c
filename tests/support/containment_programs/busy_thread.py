#: does = "keeps one process busy for longer than its processor time"
#: ends = ["timeout"]
#: limits = {cpu_s = 1.0, wall_s = 20.0}
#: harm = "said"
import os
import threading


def burn():
    while not os.environ.get("HARMLESS") or sum(os.times()[:2]) < 2:
        sum(range(10_000))


threads = [threading.Thread(target=burn) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("HARM", os.times())
