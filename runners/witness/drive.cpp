// Linked with -Wl,--wrap=main: runs a program's main, and says on standard error that it came to its end, or left by exit.
// A program may have a variable called write, and an operator new that counts: so the C library's own functions are looked
// up behind the program, and nothing is allocated.
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern "C" int __real_main(int, char **, char **);
extern "C" [[noreturn]] void __real_exit(int);
extern "C" [[noreturn]] void __real__exit(int);
extern "C" [[noreturn]] void __real__Exit(int);
extern "C" [[noreturn]] void __real_quick_exit(int);

namespace {

ssize_t (*writes)(int, const void *, std::size_t);
pid_t (*process)();
char nonce[64];
int errors;
pid_t self;
bool returned;

template <typename Function> void find(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

char *add(char *to, const char *end, const char *text) {
    while (*text && to < end) *to++ = *text++;
    return to;
}

void say(const char *word) {
    if (!*nonce || process() != self) return;
    char line[128];
    const char *const parts[] = {"\n", nonce, " ", word, "\n"};
    char *end = line;
    for (const char *part : parts) end = add(end, line + sizeof line, part);
    if (writes(errors, line, end - line) != end - line) writes(2, line, end - line);
}

void leave() {
    if (!returned) say("exit 0");
}

void prepare() {
    int (*unset)(const char *);
    int (*control)(int, int, ...);
    int (*copy)(int);
    find(writes, "write");
    find(process, "getpid");
    find(unset, "unsetenv");
    find(control, "fcntl");
    find(copy, "dup");
    unset("GHOSTTAPE_BEGIN");
    errors = control(2, F_DUPFD_CLOEXEC, 1000); // out of the way of programs that close all they know of
    if (errors < 0) errors = copy(2);
    self = process();
}

// Reads this run's number and removes its file: before anything of the program runs, its constructors included.
void read_number(int, char **, char **) {
    const long file = syscall(SYS_openat, AT_FDCWD, ".witness", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const long size = syscall(SYS_read, file, nonce, sizeof nonce - 1);
    syscall(SYS_close, file);
    syscall(SYS_unlinkat, AT_FDCWD, ".witness", 0);
    nonce[0 < size ? size - 1 : 0] = 0; // without the end of its line
}

__attribute__((section(".preinit_array"), used)) void (*const first)(int, char **, char **) = read_number;

void say_status(int status) {
    if (!writes || !(status & 0xff)) return;
    char word[16] = "meant ", digits[4];
    int count = 0, rest = status & 0xff;
    do digits[count++] = static_cast<char>('0' + rest % 10);
    while (rest /= 10);
    for (int at = 6; count; ++at) word[at] = digits[--count];
    say(word);
}

} // namespace

// What the program itself calls; what the library calls of these is not ours.
extern "C" [[noreturn]] void __wrap_exit(int status) {
    say_status(status);
    __real_exit(status);
}

extern "C" [[noreturn]] void __wrap__exit(int status) {
    say_status(status);
    __real__exit(status);
}

extern "C" [[noreturn]] void __wrap__Exit(int status) {
    say_status(status);
    __real__Exit(status);
}

extern "C" [[noreturn]] void __wrap_quick_exit(int status) {
    say_status(status);
    __real_quick_exit(status);
}

// Called by probes, where a program has any; before main nothing is known of whom to tell.
extern "C" void __ghosttape_ran__(int number) {
    static bool ran[4096];
    if (!writes || number < 0 || number >= 4096 || ran[number]) return;
    ran[number] = true;
    char word[16] = "ran ", digits[8];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    for (int at = 4; count; ++at) word[at] = digits[--count];
    say(word);
}

extern "C" int __wrap_main(int count, char **arguments, char **environment) {
    prepare();
    std::atexit(leave);
    std::at_quick_exit(leave);
    const int status = __real_main(count, arguments, environment);
    returned = true;
    say("end");
    say_status(status);
    return status;
}
