/* Structs of the C interface by tables of their members: definitions are filled from keyword arguments, reports become
 * Python values, records become structured arrays. read_headers.py makes the tables. */
#ifndef TAUT_PYTHON_FIELDS_H
#define TAUT_PYTHON_FIELDS_H

#include "numbers.h"

#include <nanobind/stl/vector.h>

#include "taut/taut.h"

#include <cstdint>
#include <string>
#include <vector>

/* An enumerator as Python sees it. */
struct Name {
    const char* name;
    int value;
};

enum class Form {
    scalar,
    fixed,       /* an array inside of the struct */
    array,       /* a pointer to values that the caller has */
    enumeration, /* a name */
    structure,   /* a dict */
    range,
    batch
};

/* What the number of rows of an array is. */
enum class Rows {
    counted,  /* the count at `count` */
    offsets,  /* count + 1 */
    offsets3, /* 3 count + 1 */
    entries,  /* the last offset; without offsets count x arity */
    pieces,   /* the last offset - count */
    bends     /* the last offset - 2 count */
};

struct Table;

struct Member {
    const char* name;
    size_t offset;
    Type type;
    Form form;
    size_t columns; /* values per row, or in all of a fixed array */
    Rows rows;
    size_t count; /* offset of the count that arrays share */
    const std::vector<Name>* names;
    const Table* table;
};

struct Table {
    const char* name;
    size_t bytes;
    int definition; /* its taut_definition; 0: none */
    std::vector<Member> members;
};

/* Stands for taut.Error where the module is made; raise_error raises it. */
struct LibraryError : std::exception {};
/* What is raised, once. */
void set_error_type(nb::handle type);
/* taut.Error with the library's sentence. */
[[noreturn]] void raise_error(taut_status status, const char* sentence);
/* Raises where a call has failed. */
void check(taut_status status);

/* The number of a name; ValueError with what there is. */
int value_of(const std::vector<Name>& names, const char* what, nb::handle name);
/* The name of a number; "unknown" outside of the enumeration. */
const char* name_of(const std::vector<Name>& names, int value);

/* Sets the members that are named, and keeps their arrays alive as long as this object. */
class Filling {
  public:
    Filling(const Table& table, void* out, const nb::dict& given);

  private:
    void take_arrays(const nb::dict& given);
    void take_counts();
    void take_arity();
    void check_rows();
    const Numbers* offsets() const;
    size_t rows_wanted(const Member& m) const;
    bool knows(size_t offset) const;
    void learn(size_t offset, size_t count);
    const Table& table_;
    char* out_;
    std::vector<std::pair<const Member*, Numbers>> arrays_;
    std::vector<size_t> known_; /* offsets of counts that are set */
    std::vector<Filling> inner_;
};

/* A member as a Python value; batches are of the scene with this number. */
nb::object value_at(const Member& m, const void* base, uint64_t scene = 0);
/* All members as a dict. */
nb::dict to_dict(const Table& table, const void* base, uint64_t scene = 0);
/* Sets all members from what to_dict has made; ValueError where it has others. */
void from_dict(const Table& table, void* out, const nb::dict& values);
/* Whether from_dict can: not texts that belong to the library, nor batches, which belong to a scene. */
bool has_from_dict(const Table& table);
/* numpy.dtype of a record. */
nb::object dtype_of(const Table& table);
/* `count` records as a structured array, which owns a copy. */
nb::object to_records(const Table& table, const void* records, size_t count);
/* An array that owns its values. */
template <class T> nb::object to_array(std::vector<T>&& values, std::vector<size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

nb::object to_python(taut_range range);

/* Point and frame of bodies, `each` of them in a row. */
class BodyNumbers {
  public:
    BodyNumbers(nb::handle given, size_t each = 1) : numbers_(indices(given, "bodies", any_rows, 2 * each)) {}
    size_t rows() const { return numbers_.rows(); }
    const taut_body* bodies() const { return static_cast<const taut_body*>(numbers_.data()); }

  private:
    Numbers numbers_;
};
/* They as an array, count x 2. */
nb::object to_python(taut_body_ranges ranges);

#endif
