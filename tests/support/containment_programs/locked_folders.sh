#: does = "leaves folders that nobody may look into"
#: ends = ["passed"]
#: harm = "unremovable"
#: needs = "no root"
mkdir -p one/two/three
echo hidden >one/two/three/file
chmod 000 one/two/three one/two one
