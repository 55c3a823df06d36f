// Preloaded into a server; makes system calls on its database fail or do nothing. Configured by the environment:
//   CHAOS_FILES  only calls for files whose path contains this text count
//   CHAOS_CALL   write, sync, open or truncate: which calls count
//   CHAOS_NTH    the call that fails, counted from 1; 0: none
//   CHAOS_ERRNO  the error number it fails with
//   CHAOS_EVERY  1: all later ones fail as well
//   CHAOS_FIRED  a file that is created when a call was made to fail, so that a sweep knows when it is past the last call
//   CHAOS_SWALLOW_SYNC  1: fdatasync and fsync report success and do nothing, like a disk that lies
// It counts over all threads, which strace's injection does not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char *files, *kind, *fired;
static long nth, every, swallow, failure;
static atomic_long calls;

__attribute__((constructor)) static void read_environment(void) {
    const char *text;
    files = getenv("CHAOS_FILES");
    kind = getenv("CHAOS_CALL");
    fired = getenv("CHAOS_FIRED");
    nth = (text = getenv("CHAOS_NTH")) ? atol(text) : 0;
    every = (text = getenv("CHAOS_EVERY")) ? atol(text) : 0;
    swallow = (text = getenv("CHAOS_SWALLOW_SYNC")) ? atol(text) : 0;
    failure = (text = getenv("CHAOS_ERRNO")) ? atol(text) : EIO;
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

static int must_fail(const char *call) {
    if (!kind || strcmp(kind, call) != 0 || nth == 0) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != nth && !(every && number > nth)) return 0;
    if (fired) {
        long made = syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT, 0600);
        if (made >= 0) syscall(SYS_close, (int)made);
    }
    errno = (int)failure;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    if (is_our_descriptor(fd) && must_fail("write")) return -1;
    return REAL(pwrite64)(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    if (is_our_descriptor(fd) && must_fail("write")) return -1;
    return REAL(pwrite)(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    if (is_our_descriptor(fd) && must_fail("write")) return -1;
    return REAL(write)(fd, bytes, count);
}

int fdatasync(int fd) {
    if (is_our_descriptor(fd)) {
        if (swallow) return 0;
        if (must_fail("sync")) return -1;
    }
    return REAL(fdatasync)(fd);
}

int fsync(int fd) {
    if (is_our_descriptor(fd)) {
        if (swallow) return 0;
        if (must_fail("sync")) return -1;
    }
    return REAL(fsync)(fd);
}

int ftruncate64(int fd, off64_t length) {
    if (is_our_descriptor(fd) && must_fail("truncate")) return -1;
    return REAL(ftruncate64)(fd, length);
}

int ftruncate(int fd, off_t length) {
    if (is_our_descriptor(fd) && must_fail("truncate")) return -1;
    return REAL(ftruncate)(fd, length);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (is_ours(path) && must_fail("open")) return -1;
    return REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (is_ours(path) && must_fail("open")) return -1;
    return REAL(open)(path, flags, mode);
}
