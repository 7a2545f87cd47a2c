#: does = "never ends"
#: ends = ["timeout"]
#: limits = {wall_s = 1.0}
#: harm = "said"
start=$(date +%s)
while [ -z "$HARMLESS" ] || [ $(($(date +%s) - start)) -lt 3 ]; do :; done
echo HARM still there after its time
