#: does = "opens settings of the kernel for writing"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
for file in /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sysrq-trigger /proc/sys/kernel/hostname \
    /proc/1/oom_score_adj /sys/kernel/uevent_helper; do
    if (: >>"$file") 2>/dev/null; then echo "HARM $file"; fi
done
true
