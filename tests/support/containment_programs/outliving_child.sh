#: does = "leaves a child that sleeps on"
#: ends = ["passed"]
#: harm = "left"
#: without = "bare"
sleep 30 >/dev/null 2>&1 &
echo gone
