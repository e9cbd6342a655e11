/* Tests are written in C against the public interface and run under GoogleTest (harness.cc).
 *
 *     TAUT_TEST(pendulum, period) { ... uses `backend` (taut_backend_kind) ... }
 *     TAUT_PLAIN_TEST(formulas, distance) { ... }
 *     TAUT_CUDA_TEST(streams, capture) { ... }
 *
 * A TAUT_TEST is registered once per backend of this build, as "pendulum.period/cpu", a TAUT_CUDA_TEST for CUDA alone;
 * on a backend that is not available here it is reported as skipped. CHECK_* record a failure and go on, REQUIRE_*
 * leave the function. */
#ifndef TAUT_TEST_HARNESS_H
#define TAUT_TEST_HARNESS_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum test_backends { TEST_ONCE, TEST_ON_EACH, TEST_ON_CUDA } test_backends;

typedef struct test_case {
    const char* suite;
    const char* name;
    void (*body)(taut_backend_kind backend);
    test_backends backends;
    struct test_case* next;
} test_case;

void test_register(test_case* test);
/* Reports through GoogleTest; all return whether the check held. */
bool test_true(bool value, const char* text, const char* file, int line);
bool test_near(double actual, double expected, double tolerance, const char* text, const char* file, int line);
bool test_int(long long actual, long long expected, const char* text, const char* file, int line);
bool test_text(const char* actual, const char* expected, const char* text, const char* file, int line);
bool test_status(taut_status actual, taut_status expected, const char* text, const char* file, int line);
/* Shown with every failure of the current test until replaced; NULL removes it. */
void test_note(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Marks the test as skipped; return after it. */
void test_skip(const char* reason);
/* Whether the direct method is built in; else the test is marked as skipped: return. */
bool test_direct(void);
/* Path of a file of shared/data ("cloth/x.obj"), or NULL where the folder is absent. Valid until the next call. */
const char* test_data(const char* name);

#ifdef __cplusplus
}
#endif

#define TAUT_TEST_REGISTER(suite_, name_, backends_)                                                                   \
    static void suite_##_##name_(taut_backend_kind backend);                                                           \
    __attribute__((constructor)) static void register_##suite_##_##name_(void) {                                       \
        static test_case entry = {#suite_, #name_, suite_##_##name_, backends_, NULL};                                 \
        test_register(&entry);                                                                                         \
    }                                                                                                                  \
    static void suite_##_##name_(__attribute__((unused)) taut_backend_kind backend)

#define TAUT_TEST(suite_, name_)       TAUT_TEST_REGISTER(suite_, name_, TEST_ON_EACH)
#define TAUT_PLAIN_TEST(suite_, name_) TAUT_TEST_REGISTER(suite_, name_, TEST_ONCE)
#define TAUT_CUDA_TEST(suite_, name_)  TAUT_TEST_REGISTER(suite_, name_, TEST_ON_CUDA)

#define CHECK(condition)            test_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) test_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define CHECK_INT(a, b)             test_int((long long)(a), (long long)(b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_TEXT(a, b)            test_text((a), (b), #a, __FILE__, __LINE__)
#define CHECK_STATUS(call, status)  test_status((call), (status), #call, __FILE__, __LINE__)
#define CHECK_OK(call)              CHECK_STATUS(call, TAUT_OK)
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!CHECK(condition)) {                                                                                       \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)
#define REQUIRE_OK(call)                                                                                               \
    do {                                                                                                               \
        if (!CHECK_OK(call)) {                                                                                         \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#endif
