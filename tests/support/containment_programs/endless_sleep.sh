#: does = "waits for ever, using nothing, and takes no notice of signals"
#: ends = ["timeout"]
#: limits = {wall_s = 1.0}
#: harm = "said"
trap '' TERM INT HUP QUIT XCPU
if [ "$HARMLESS" ]; then sleep 2; else while :; do sleep 60; done; fi
echo HARM still there after its time
