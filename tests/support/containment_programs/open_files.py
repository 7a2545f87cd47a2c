#: does = "opens files until the machine can open no more"
#: ends = ["exception", "failed"]
#: limits = {open_files = 64}
#: harm = "said"
opened = [open("/dev/null") for _ in range(500)]
print("HARM", len(opened), "files")
