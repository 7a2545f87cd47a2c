"""The filter of calls to the kernel, written as container engines read it: the rules that hold in every sandbox."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from runners.limits.seccomp import ArgumentTest, SyscallRule, rules


@cache
def profile() -> str:
    """Return the filter as JSON. Calls of other architectures than the machine's own are refused by the engine."""
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [_denied(rule) for rule in rules()]})


def _denied(rule: SyscallRule) -> dict[str, Any]:
    arguments = [_compared(argument) for argument in rule.when]
    return {"names": [rule.call], "action": "SCMP_ACT_ERRNO", "errnoRet": rule.error, "args": arguments}


def _compared(argument: ArgumentTest) -> dict[str, Any]:
    masked = argument.is_ == "MASKED_EQ"
    first, second = (argument.mask, argument.value) if masked else (argument.value, 0)
    return {"index": argument.index, "op": f"SCMP_CMP_{argument.is_}", "value": first, "valueTwo": second}
