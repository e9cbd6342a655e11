/* Structs of the C interface by tables of their members: definitions are filled from keyword arguments, reports become
 * Python values, records become structured arrays. read_headers.py makes the tables. */
#ifndef TAUT_PYTHON_FIELDS_H
#define TAUT_PYTHON_FIELDS_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "taut/taut.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

/* An enumerator as Python sees it. */
struct Name {
    const char* name;
    int value;
};

enum class Type { f64, boolean, u32, u64, size, i32, text, pointer };

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

/* An array of the caller's as contiguous numbers; where it is one already, nothing is copied. */
class Numbers {
  public:
    Numbers(nb::handle given, Type type, const std::string& what);
    /* `rows` x `columns` values, or any number of rows for SIZE_MAX; ValueError otherwise. */
    Numbers& shaped(size_t rows, size_t columns);
    size_t rows() const { return rows_; }
    size_t size() const { return array_.size(); }
    size_t dimensions() const { return dimensions_; } /* 0: a number alone */
    const std::string& what() const { return what_; }
    std::string shape() const { return nb::repr(shape_).c_str(); }
    size_t extent(size_t axis) const { return array_.shape(axis); }
    const void* data() const { return array_.data(); }
    const double* f64() const { return static_cast<const double*>(array_.data()); }
    const uint32_t* u32() const { return static_cast<const uint32_t*>(array_.data()); }

  private:
    nb::object kept_, shape_; /* the shape is that of what was given */
    nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> array_;
    std::string what_;
    size_t rows_ = 0, dimensions_ = 0;
};

/* Doubles, as most arrays are. */
Numbers doubles(nb::handle given, const char* what, size_t rows, size_t columns);
/* A whole number from `least` on; TypeError or ValueError otherwise. */
uint32_t whole_number(nb::handle given, const char* what, uint32_t least);
/* Numbers of points, frames, ... */
Numbers indices(nb::handle given, const char* what, size_t rows, size_t columns);
constexpr size_t any_rows = SIZE_MAX;

/* Which things values are for. Of a part, arrays of at least `dimensions` have a row for each. */
struct Extent {
    size_t first, rows, columns, dimensions;
    bool part;
};
/* Without `first` all of `count` things. Otherwise those from there on: as many as the array with the most rows has,
 * or, where all have fewer dimensions, all that are left. */
Extent extent_of(size_t count, std::optional<size_t> first, size_t columns, size_t dimensions,
                 std::initializer_list<const Numbers*> values);
/* A row for each: those that are given, or the one for all. ValueError where there are neither one nor all. */
std::vector<double> rows_for(const Extent& extent, const Numbers& values);

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

/* Values to read into; where there are none, too, at an address that the library takes. */
inline std::vector<double> room_for(size_t values) {
    std::vector<double> room;
    room.reserve(values + 1);
    room.resize(values);
    return room;
}

nb::object to_python(taut_range range);

#endif
