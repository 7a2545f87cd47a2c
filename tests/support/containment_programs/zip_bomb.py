#: does = "unpacks a small archive, one file of which holds more zeros than the project may"
#: ends = ["output"]
#: limits = {disk_mb = 24}
#: harm = "said"
import io
import zipfile

packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    archive.writestr("zeros", bytes(48 << 20))
with zipfile.ZipFile(packed) as archive:
    archive.extractall(".")
print("HARM 48 MiB from", len(packed.getvalue()), "bytes")
