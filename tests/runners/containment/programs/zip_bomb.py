#: does = "unpacks a small archive of many zeros"
#: ends = ["output"]
#: limits = {disk_mb = 24}
#: harm = "said"
import io
import os
import zipfile

parts = 6 if os.environ.get("HARMLESS") else 20
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    for number in range(parts):
        archive.writestr(f"part-{number}", bytes(8 << 20))
with zipfile.ZipFile(packed) as archive:
    archive.extractall(".")
print("HARM", 8 * parts, "MiB from", len(packed.getvalue()), "bytes")
