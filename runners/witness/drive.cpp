// Linked with -Wl,--wrap=main: runs a program's main, and says on standard error that it came to its end.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

extern "C" int __real_main(int, char **, char **);

extern "C" int __wrap_main(int count, char **arguments, char **environment) {
    const char *nonce = std::getenv("GHOSTTAPE_WITNESS");
    const std::string line = "\n" + std::string(nonce ? nonce : "") + " end\n";
    unsetenv("GHOSTTAPE_WITNESS");
    const int errors = dup(2);
    const pid_t self = getpid();
    const int status = __real_main(count, arguments, environment);
    std::fflush(nullptr);
    if (nonce && getpid() == self && write(errors, line.data(), line.size()) < 0) return status ? status : 1;
    return status;
}
