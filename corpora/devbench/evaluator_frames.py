"""What DevBench's script puts around programs: its frames of C++ and C# as they are, and what its Python head does, in other words."""

PYTHON_PLOTS = """import matplotlib
import matplotlib.pyplot as plt
matplotlib.use("Agg")
original_show = plt.show
plt.show = non_blocking_show = lambda *_, **__: (plt.savefig("shown.png"), plt.close())[1]
"""
"""Plots are drawn without a screen, and `show` saves them.

The head also lengthens time limits of tornado's client, which here has no network, and imports `os` and `asyncio`.
"""
CXX_MAIN = """
#include <iostream>
#include <cassert>
#include <string>
#include <vector>
#include <algorithm>

int main() {
    PROGRAM

    // Run assertions if any
    ASSERTIONS

    return 0;
}
"""
CSHARP_MAIN = """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

public class CLASS
{
    public static void Main(string[] args)
    {
        PROGRAM

        // Run assertions if any
        ASSERTIONS
    }
}
"""
CSHARP_NAMESPACE = """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace TestNamespace
{
    public class CLASS
    {
        public static void Main(string[] args)
        {
            PROGRAM

            // Run assertions if any
            ASSERTIONS
        }
    }
}
"""
