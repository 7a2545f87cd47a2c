#: does = "starts threads until there is no room for more"
#: ends = ["exception", "crashed", "failed"]
#: limits = {processes = 40}
#: harm = "said"
import threading

end = threading.Event()
threads = []
try:
    for _ in range(200):
        threads.append(threading.Thread(target=end.wait, daemon=True))
        threads[-1].start()
    print("HARM", len(threads), "threads")
finally:
    end.set()
