#: does = "changes the system's own files"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
[ "$HARMLESS" ] && set -- /usr/local || set -- / /usr /usr/bin /usr/lib /etc /bin /sbin /dev /proc /sys /proc/sys/kernel
for folder in "$@"; do
    if (: >"$folder/new-$GT_WORD"); then
        echo "HARM $folder"
        rm "$folder/new-$GT_WORD"
    fi
done 2>/dev/null
true
