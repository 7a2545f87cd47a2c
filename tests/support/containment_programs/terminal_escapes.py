#: does = "writes what a terminal takes for commands: a title, the clipboard, a cleared screen, other keys"
#: ends = ["exception", "failed"]
#: harm = "escapes"
import sys

bad = "\x1b]0;title\x07\x1b]52;c;ZWNobw==\x07\x1b[2J\x1b[H\x1bPq\x1b\\\x9b31m\x1b[6n\x00\x08\x7f\r\x1b]8;;http://x/\x1b\\link"
print(bad)
sys.stdout.flush()
raise ValueError(bad)
