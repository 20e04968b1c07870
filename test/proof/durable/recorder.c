/*
 * Loaded before libc: writes down, in one order, every write and sync of the files in STORE_DIR and every line of the
 * process's standard output, and fails them as the file FAULT says (a line of: full, readonly, sync, write, database).
 *
 * Record: kind (W write, T truncate, S sync begins, D sync is done, A acknowledgement), file (one byte), offset and
 * length (8 bytes each, of this machine), the bytes. Build: cc -shared -fPIC -O2 -o recorder.so recorder.c -ldl -lpthread
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static char directory[4096];
static size_t directory_length;
static const char *fault;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  const char *path = getenv("RECORD");
  const char *store = getenv("STORE_DIR");
  fault = getenv("FAULT");
  if (store == NULL) return;
  snprintf(directory, sizeof directory, "%s/", store);
  directory_length = strlen(directory);
  if (path != NULL) record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* m the database, j its rollback journal, w its log, s the count of commits, p a probe for space; 0 any other. */
static char file_at(const char *path) {
  if (directory_length == 0 || strncmp(path, directory, directory_length) != 0) return 0;
  const char *name = path + directory_length;
  if (strcmp(name, "store.sqlite") == 0) return 'm';
  if (strcmp(name, "store.sqlite-journal") == 0) return 'j';
  if (strcmp(name, "store.sqlite-wal") == 0) return 'w';
  if (strcmp(name, "synced") == 0) return 's';
  if (strcmp(name, "space") == 0) return 'p';
  return 0;
}

static char file_of(int fd) {
  char link[64], path[4096];
  if (directory_length == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  /* The directory itself: its sync keeps the names of its files, of which only the journal's ever goes away. */
  if (length == (ssize_t)directory_length - 1 && strncmp(path, directory, length) == 0) return 'j';
  return file_at(path);
}

static void note(char kind, char file, int64_t offset, int64_t length, const void *bytes) {
  if (record < 0 || file == 'p') return;
  char head[18] = {kind, file};
  memcpy(head + 2, &offset, 8);
  memcpy(head + 10, &length, 8);
  pthread_mutex_lock(&lock);
  real_write(record, head, sizeof head);
  if (bytes != NULL && length > 0) real_write(record, bytes, length);
  pthread_mutex_unlock(&lock);
}

static int failing(const char *what) {
  char text[32] = {0};
  if (fault == NULL) return 0;
  int fd = open(fault, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  return length > 0 && strncmp(text, what, strlen(what)) == 0;
}

static int refused(char file) {
  if (file == 0 || file == 's') return 0;
  if (failing("full")) errno = ENOSPC;
  else if (failing("readonly")) errno = EROFS;
  else if (file != 'p' && failing("write")) errno = EIO;
  else return 0;
  return 1;
}

static ssize_t written(int fd, const void *bytes, size_t length, off_t offset) {
  char file = file_of(fd);
  if (refused(file)) return -1;
  ssize_t done = real_pwrite(fd, bytes, length, offset);
  if (file != 0 && done > 0) note('W', file, offset, done, bytes);
  return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return written(fd, bytes, length, offset); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return written(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  char file = file_of(fd);
  if (refused(file)) return -1;
  if (fd == 1) note('A', 0, 0, length, bytes);
  off_t offset = file == 0 ? 0 : lseek(fd, 0, SEEK_CUR);
  ssize_t done = real_write(fd, bytes, length);
  if (file != 0 && done > 0) note('W', file, offset, done, bytes);
  return done;
}

static int synced(int fd, int (*real)(int)) {
  char file = file_of(fd);
  if (file == 0) return real(fd);
  /* "database": only when the log is copied into it. */
  if (failing("sync") || (file == 'm' && failing("database"))) { errno = EIO; return -1; }
  note('S', file, 0, 0, NULL);
  /* As slow as a quick disk, wherever the files are. */
  if (record >= 0) usleep(200);
  int result = real(fd);
  if (result == 0) note('D', file, 0, 0, NULL);
  return result;
}

int fdatasync(int fd) { return synced(fd, real_fdatasync); }
int fsync(int fd) { return synced(fd, real_fsync); }

static int truncated(int fd, off_t length) {
  char file = file_of(fd);
  int result = real_ftruncate(fd, length);
  if (file != 0 && result == 0) note('T', file, length, 0, NULL);
  return result;
}

int ftruncate64(int fd, off_t length) { return truncated(fd, length); }
int ftruncate(int fd, off_t length) { return truncated(fd, length); }

/* A file that is gone counts as an empty one: SQLite takes neither for a journal to roll back. */
int unlink(const char *path) {
  char file = file_at(path);
  int result = real_unlink(path);
  if (file != 0 && result == 0) note('T', file, 0, 0, NULL);
  return result;
}
