/* A library to be preloaded: ends the program, as kill -9 does, before its N-th call that changes
   what the disk holds below a folder.

   INTERVOX_KILL_FOLDER  the folder; calls on other files are not counted
   INTERVOX_KILL_AT      N, from 1; 0: never
   INTERVOX_KILL_HALF    1: of that call's bytes half are written first
   INTERVOX_KILL_COUNT   a file that the number of calls is written to at the end
   INTERVOX_KILL_LOG     a file that gets a line for each call: its name and the path */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static const char* folder(void) { return getenv("INTERVOX_KILL_FOLDER"); }

static int is_below(const char* path) {
  const size_t length = folder() != NULL ? strlen(folder()) : 0;
  return length > 0 && path != NULL && strncmp(path, folder(), length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

static void note(const char* call, const char* path) {
  const char* log = getenv("INTERVOX_KILL_LOG");
  FILE* file = log != NULL ? fopen(log, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s %s\n", call, path);
  fclose(file);
}

/* Counts a call; true for the one to die before. */
static int is_last(const char* call, const char* path) {
  note(call, path);
  const char* at = getenv("INTERVOX_KILL_AT");
  const long last = at != NULL ? atol(at) : 0;
  return atomic_fetch_add(&calls, 1) + 1 == last;
}

/* Whether to die before a call on an open file. */
static int is_last_of(const char* call, int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = '\0';
  return is_below(path) && is_last(call, path);
}

static void die(void) { kill(getpid(), SIGKILL); }

static int halves(void) { return getenv("INTERVOX_KILL_HALF") != NULL; }

__attribute__((destructor)) static void report(void) {
  const char* path = getenv("INTERVOX_KILL_COUNT");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

#define REAL(type, name, ...)       \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void* bytes, size_t count) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (is_last_of("write", file)) {
    if (halves()) real(file, bytes, count / 2);
    die();
  }
  return real(file, bytes, count);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec*, int);
  if (is_last_of("write", file)) {
    if (halves()) real(file, parts, count / 2);
    die();
  }
  return real(file, parts, count);
}

static ssize_t at_place(ssize_t (*real)(int, const void*, size_t, off_t), int file,
                        const void* bytes, size_t count, off_t place) {
  if (is_last_of("write", file)) {
    if (halves()) real(file, bytes, count / 2, place);
    die();
  }
  return real(file, bytes, count, place);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t place) {
  REAL(ssize_t, "pwrite", int, const void*, size_t, off_t);
  return at_place(real, file, bytes, count, place);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t place) {
  REAL(ssize_t, "pwrite64", int, const void*, size_t, off_t);
  return at_place(real, file, bytes, count, place);
}

ssize_t sendfile(int out, int in, off_t* place, size_t count) {
  REAL(ssize_t, "sendfile", int, int, off_t*, size_t);
  if (is_last_of("write", out)) {
    if (halves()) real(out, in, place, count / 2);
    die();
  }
  return real(out, in, place, count);
}

ssize_t copy_file_range(int in, off_t* from, int out, off_t* to, size_t count, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off_t*, int, off_t*, size_t, unsigned);
  if (is_last_of("write", out)) {
    if (halves()) real(in, from, out, to, count / 2, flags);
    die();
  }
  return real(in, from, out, to, count, flags);
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  if (is_last_of("write", file)) die();
  return real(file, size);
}

int ftruncate64(int file, off_t size) {
  REAL(int, "ftruncate64", int, off_t);
  if (is_last_of("write", file)) die();
  return real(file, size);
}

int fsync(int file) {
  REAL(int, "fsync", int);
  if (is_last_of("fsync", file)) die();
  return real(file);
}

int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  if (is_below(to) && is_last("rename", to)) die();
  return real(from, to);
}

int unlink(const char* path) {
  REAL(int, "unlink", const char*);
  if (is_below(path) && is_last("remove", path)) die();
  return real(path);
}

int remove(const char* path) {
  REAL(int, "remove", const char*);
  if (is_below(path) && is_last("remove", path)) die();
  return real(path);
}

static int opens(const char* path, int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 && is_below(path) && is_last("open", path);
}

int open(const char* path, int flags, ...) {
  REAL(int, "open", const char*, int, ...);
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  if (opens(path, flags)) die();
  return real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  REAL(int, "open64", const char*, int, ...);
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  if (opens(path, flags)) die();
  return real(path, flags, mode);
}
