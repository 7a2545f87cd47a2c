#: does = "writes without end"
#: ends = ["output"]
#: limits = {output_bytes = 100000}
#: harm = "flooded"
if [ "$HARMLESS" ]; then yes | head -c 300000; else yes; fi
