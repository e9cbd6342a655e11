// The C tests under GoogleTest: one registration per backend, checks that record failures, notes that go with them.
#include "harness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace {

test_case* all_tests = nullptr;
std::string note;

class Case : public testing::Test {
  public:
    Case(const test_case* entry, taut_backend_kind kind) : test(entry), backend(kind) {}

    void TestBody() override {
        note.clear();
        if (taut_backend_available(backend) != TAUT_OK) {
            GTEST_SKIP() << taut_last_error();
        }
        test->body(backend);
    }

  private:
    const test_case* test;
    taut_backend_kind backend;
};

void enlist(const test_case* test, const std::string& name, taut_backend_kind backend) {
    testing::RegisterTest(test->suite, name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [test, backend]() -> testing::Test* { return new Case(test, backend); });
}

bool report(bool held, const char* file, int line, const std::string& message) {
    if (!held) {
        const std::string context = note.empty() ? "" : "\n  " + note;
        ADD_FAILURE_AT(file, line) << message << context;
    }
    return held;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

} // namespace

extern "C" {

void test_register(test_case* test) {
    test->next = all_tests;
    all_tests = test;
}

bool test_true(bool value, const char* text, const char* file, int line) {
    return report(value, file, line, std::string("does not hold: ") + text);
}

bool test_near(double actual, double expected, double tolerance, const char* text, const char* file, int line) {
    // Written so that a NaN on either side fails.
    const bool held = std::fabs(actual - expected) <= tolerance;
    return report(held, file, line,
                  std::string(text) + ": " + number(actual) + " against " + number(expected) + ", difference " +
                      number(actual - expected) + ", tolerance " + number(tolerance));
}

bool test_int(long long actual, long long expected, const char* text, const char* file, int line) {
    return report(actual == expected, file, line,
                  std::string(text) + ": " + std::to_string(actual) + " against " + std::to_string(expected));
}

bool test_text(const char* actual, const char* expected, const char* text, const char* file, int line) {
    const std::string a = actual != nullptr ? actual : "(null)";
    const std::string b = expected != nullptr ? expected : "(null)";
    return report(a == b, file, line, std::string(text) + ": \"" + a + "\" against \"" + b + "\"");
}

bool test_status(taut_status actual, taut_status expected, const char* text, const char* file, int line) {
    const std::string detail = actual == TAUT_OK ? "" : std::string(" (") + taut_last_error() + ")";
    return report(actual == expected, file, line,
                  std::string(text) + ": " + taut_status_name(actual) + detail + " instead of " +
                      taut_status_name(expected));
}

void test_note(const char* format, ...) {
    note.clear();
    if (format == nullptr) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note = text;
}

void test_skip(const char* reason) {
    GTEST_SKIP() << reason;
}

bool test_direct(void) {
#ifdef TAUT_WITH_DIRECT
    return true;
#else
    test_skip("the direct method is not built in");
    return false;
#endif
}

const char* test_data(const char* name) {
    static std::string path;
    struct stat status;
    if (stat(TAUT_TEST_DATA, &status) != 0) {
        return nullptr;
    }
    path = std::string(TAUT_TEST_DATA) + "/" + name;
    return path.c_str();
}

} // extern "C"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (const test_case* test = all_tests; test != nullptr; test = test->next) {
        if (test->backends == TEST_ONCE) {
            enlist(test, test->name, TAUT_BACKEND_AUTO);
        }
        if (test->backends == TEST_ON_EACH) {
            enlist(test, std::string(test->name) + "/cpu", TAUT_BACKEND_CPU);
        }
        if (test->backends != TEST_ONCE) {
            enlist(test, std::string(test->name) + "/cuda", TAUT_BACKEND_CUDA);
        }
    }
    return RUN_ALL_TESTS();
}
