#: does = "reads what others have put into shared memory"
#: ends = ["passed"]
#: harm = "said"
import glob
import os

for path in glob.glob(f"/dev/shm/*{os.environ['GT_WORD']}*"):
    print("HARM", open(path).read())
