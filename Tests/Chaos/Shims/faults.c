// Preloaded into a server or an app; makes system calls on its files fail or do nothing, or ends the process at one. Configured by the
// environment:
//   CHAOS_FILES  only calls for files whose path contains this text count
//   CHAOS_CALL   write, sync, open, truncate, rename, unlink or any: which calls count
//   CHAOS_NTH    the call that fails, counted from 1; 0: none
//   CHAOS_ERRNO  the error number it fails with
//   CHAOS_EVERY  1: all later ones fail as well
//   CHAOS_KILL   before, after: the process is killed (SIGKILL) at that call in place of its failing; after: when half of a write has
//                happened, and the whole of any other call
//   CHAOS_FIRED  a file that is created when a call was made to fail, so that a sweep knows when it is past the last call
//   CHAOS_COUNT  a file that says at the process's end how many calls of each kind counted, as lines `write 12`
//   CHAOS_SWALLOW_SYNC  1: fdatasync and fsync report success and do nothing, like a disk that lies
// It counts over all threads, which strace's injection does not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char *const names[] = {"write", "sync", "open", "truncate", "rename", "unlink"};
enum { KINDS = sizeof names / sizeof *names };
static const char *files, *kind, *end, *fired, *counted;
static atomic_long seen[KINDS];
static long nth, every, swallow, failure;
static atomic_long calls;

__attribute__((constructor)) static void read_environment(void) {
    const char *text;
    files = getenv("CHAOS_FILES");
    kind = getenv("CHAOS_CALL");
    end = getenv("CHAOS_KILL");
    fired = getenv("CHAOS_FIRED");
    counted = getenv("CHAOS_COUNT");
    nth = (text = getenv("CHAOS_NTH")) ? atol(text) : 0;
    every = (text = getenv("CHAOS_EVERY")) ? atol(text) : 0;
    swallow = (text = getenv("CHAOS_SWALLOW_SYNC")) ? atol(text) : 0;
    failure = (text = getenv("CHAOS_ERRNO")) ? atol(text) : EIO;
}

__attribute__((destructor)) static void write_counts(void) {
    FILE *file = counted ? fopen(counted, "w") : NULL;
    for (int index = 0; file && index < KINDS; index++)
        if (seen[index]) fprintf(file, "%s %ld\n", names[index], (long)seen[index]);
    if (file) fclose(file);
}

static int is_ours(const char *path) { return files && path && strstr(path, files) != NULL; }

static int is_our_descriptor(int fd) {
    char link[64], path[4096];
    if (!files) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

// What becomes of a call.
enum fate { HAPPENS, FAILS, IS_LAST };

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
}

static enum fate fate_of(const char *call) {
    if (!kind || (strcmp(kind, call) != 0 && strcmp(kind, "any") != 0) || nth == 0) return HAPPENS;
    for (int index = 0; index < KINDS; index++)
        if (strcmp(names[index], call) == 0) atomic_fetch_add(&seen[index], 1);
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != nth && !(every && number > nth)) return HAPPENS;
    if (fired) {
        long made = syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT, 0600);
        if (made >= 0) syscall(SYS_close, (int)made);
    }
    if (end && strcmp(end, "after") == 0) return IS_LAST;
    if (end) die();
    errno = (int)failure;
    return FAILS;
}

static enum fate fate_of_path(const char *path, const char *call) { return is_ours(path) ? fate_of(call) : HAPPENS; }

static enum fate fate_of_descriptor(int fd, const char *call) { return is_our_descriptor(fd) ? fate_of(call) : HAPPENS; }

// The result of a call that was made; none where it was the process's last.
static long ended(enum fate fate, long result) {
    if (fate == IS_LAST) die();
    return result;
}

static size_t written(enum fate fate, size_t count) { return fate == IS_LAST ? count / 2 : count; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    enum fate fate = fate_of_descriptor(fd, "write");
    return fate == FAILS ? -1 : ended(fate, REAL(pwrite64)(fd, bytes, written(fate, count), offset));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    enum fate fate = fate_of_descriptor(fd, "write");
    return fate == FAILS ? -1 : ended(fate, REAL(pwrite)(fd, bytes, written(fate, count), offset));
}

ssize_t write(int fd, const void *bytes, size_t count) {
    enum fate fate = fate_of_descriptor(fd, "write");
    return fate == FAILS ? -1 : ended(fate, REAL(write)(fd, bytes, written(fate, count)));
}

int fdatasync(int fd) {
    if (swallow && is_our_descriptor(fd)) return 0;
    enum fate fate = fate_of_descriptor(fd, "sync");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(fdatasync)(fd));
}

int fsync(int fd) {
    if (swallow && is_our_descriptor(fd)) return 0;
    enum fate fate = fate_of_descriptor(fd, "sync");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(fsync)(fd));
}

int ftruncate64(int fd, off64_t length) {
    enum fate fate = fate_of_descriptor(fd, "truncate");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(ftruncate64)(fd, length));
}

int ftruncate(int fd, off_t length) {
    enum fate fate = fate_of_descriptor(fd, "truncate");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(ftruncate)(fd, length));
}

int rename(const char *path, const char *other) {
    enum fate fate = fate_of_path(path, "rename");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(rename)(path, other));
}

int unlink(const char *path) {
    enum fate fate = fate_of_path(path, "unlink");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(unlink)(path));
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    enum fate fate = fate_of_path(path, "open");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(open64)(path, flags, mode));
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    enum fate fate = fate_of_path(path, "open");
    return fate == FAILS ? -1 : (int)ended(fate, REAL(open)(path, flags, mode));
}
