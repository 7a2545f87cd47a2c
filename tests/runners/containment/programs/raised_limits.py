#: does = "raises its own limits again"
#: ends = ["passed"]
#: harm = "said"
#: needs = "root"
import resource

for name in ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CPU"):
    kind = getattr(resource, name)
    most = resource.getrlimit(kind)[1]
    try:
        resource.setrlimit(kind, (most, most + 1))
        print("HARM", name)
    except (ValueError, OSError) as error:
        print(name, error)
