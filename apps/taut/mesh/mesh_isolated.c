#include "base/array.h"
#include "base/input_file.h"
#include "mesh/mesh_readers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child sends first; points and elements follow. */
typedef struct result_head {
    size_t point_count;
    size_t element_count;
    bool ok;
    report cause;
} result_head;

static bool send_all(int to, const void* data, size_t bytes) {
    const char* next = data;
    while (bytes > 0) {
        const ssize_t sent = write(to, next, bytes);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        next += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool receive_all(int from, void* data, size_t bytes) {
    char* next = data;
    while (bytes > 0) {
        const ssize_t got = read(from, next, bytes);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        next += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- the child ------------------------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature) /* as clang tells it */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

/* Processor time and memory in proportion to the file, where a library believes the counts in it. */
static void limit_child(size_t file_size) {
    const rlim_t seconds = 5 + file_size / ((size_t)1 << 20);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
#ifndef SANITIZED /* their own memory is beyond every limit */
    const rlim_t bytes = ((rlim_t)2 << 30) + 64 * (rlim_t)file_size;
    (void)setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes});
#endif
}

/* Without the parent's handler; what is ignored stays ignored. */
static void end_by(int signal_number) {
    if (signal(signal_number, SIG_DFL) == SIG_IGN) {
        (void)signal(signal_number, SIG_IGN);
    }
}

/* The parent has the last word on the terminal, and the keyboard's interrupt ends the child as it is. */
static void confine(size_t file_size) {
    limit_child(file_size);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    end_by(SIGINT);
    end_by(SIGTERM);
}

/* Leaves by _exit: what the parent registered for exit, and its unwritten output, are the parent's. */
static _Noreturn void child(mesh_reader* read, const char* path, mesh_draft* d, int to) {
    result_head head = {0};
    head.ok = read(path, d, &head.cause);
    head.point_count = d->point_count;
    head.element_count = d->element_count;
    const bool sent = send_all(to, &head, sizeof head) &&
                      (!head.ok || (send_all(to, d->points, d->point_count * sizeof *d->points) &&
                                    send_all(to, d->elements, d->element_count * sizeof *d->elements)));
    _exit(sent ? 0 : 1);
}

/* ---- the parent ----------------------------------------------------------------------------------------------- */

static bool receive_draft(int from, const result_head* head, mesh_draft* d, report* r) {
    d->points = array_new(head->point_count, sizeof *d->points, r);
    d->elements = d->points ? array_new(head->element_count, sizeof *d->elements, r) : NULL;
    if (!d->elements) {
        return false;
    }
    d->point_count = d->point_capacity = head->point_count;
    d->element_count = d->element_capacity = head->element_count;
    return receive_all(from, d->points, d->point_count * sizeof *d->points) &&
           receive_all(from, d->elements, d->element_count * sizeof *d->elements);
}

static const char* child_end(int status) {
    const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal_number == SIGXCPU || signal_number == SIGKILL) {
        return "took too much time or memory; it is probably damaged";
    }
    if (signal_number == SIGINT || signal_number == SIGTERM) {
        return "was interrupted";
    }
    return "crashed; it is probably damaged";
}

static bool collect(pid_t process, int from, const char* path, mesh_draft* d, report* r) {
    result_head head;
    report memory = {0};
    const bool answered = receive_all(from, &head, sizeof head);
    const bool complete = answered && head.ok && receive_draft(from, &head, d, &memory);
    (void)close(from);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (complete) {
        return true;
    }
    if (answered && !head.ok) {
        return report_fail(r, "%s", head.cause.text);
    }
    return memory.text[0] ? report_fail(r, "%s: %s", path, memory.text)
                          : report_fail(r, "%s: the reading of this file %s", path, child_end(status));
}

bool mesh_read_isolated(mesh_reader* read, const char* path, mesh_draft* d, report* r) {
    FILE* stream = NULL;
    size_t size = 0;
    if (!input_file_open(path, &stream, &size, r)) {
        return false;
    }
    (void)fclose(stream);
    int ends[2];
    if (pipe(ends) != 0) {
        return report_fail(r, "%s: no pipe to a reading process: %s", path, strerror(errno));
    }
    const pid_t process = fork();
    if (process == 0) {
        (void)close(ends[0]);
        confine(size);
        child(read, path, d, ends[1]);
    }
    const int cause = errno;
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return report_fail(r, "%s: no reading process: %s", path, strerror(cause));
    }
    return collect(process, ends[0], path, d, r);
}
