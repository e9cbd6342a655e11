/* Arrays and whole numbers of the caller's: what is taken, and what is refused in words that name it. */
#ifndef TAUT_PYTHON_NUMBERS_H
#define TAUT_PYTHON_NUMBERS_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace nb = nanobind;

namespace nanobind::detail {
/* True and False are no whole numbers. */
template <class T> struct whole_caster {
    bool from_python(handle given, uint32_t, cleanup_list*) noexcept {
        PyObject* index = PyBool_Check(given.ptr()) ? nullptr : PyNumber_Index(given.ptr());
        const Wide number = index ? read(index) : 0;
        const bool good = index && !PyErr_Occurred() && number == static_cast<Wide>(static_cast<T>(number));
        Py_XDECREF(index);
        PyErr_Clear();
        value = static_cast<T>(number);
        return good;
    }
    static handle from_cpp(T number, rv_policy, cleanup_list*) noexcept {
        return std::is_signed_v<T> ? PyLong_FromLongLong(number) : PyLong_FromUnsignedLongLong(number);
    }
    NB_TYPE_CASTER(T, const_name("int"))

  private:
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    static Wide read(PyObject* index) {
        if constexpr (std::is_signed_v<T>) {
            return PyLong_AsLongLong(index);
        } else {
            return PyLong_AsUnsignedLongLong(index);
        }
    }
};

template <> struct type_caster<int> : whole_caster<int> {};
template <> struct type_caster<unsigned> : whole_caster<unsigned> {};
template <> struct type_caster<unsigned long> : whole_caster<unsigned long> {};
template <> struct type_caster<unsigned long long> : whole_caster<unsigned long long> {};
} // namespace nanobind::detail

enum class Type { f64, boolean, u32, u64, size, i32, text, pointer };

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
/* What a number alone says where a row has more values than one: nothing, or all of them. */
enum class Alone { refused, whole_row };
/* A row for each: those that are given, or the one for all. ValueError where there are neither one nor all. */
std::vector<double> rows_for(const Extent& extent, const Numbers& values, Alone alone = Alone::refused);

/* The number from `least` on; ValueError otherwise. */
uint32_t whole_number(nb::handle given, const char* what, uint32_t least);

/* Values to read into; where there are none, too, at an address that the library takes. */
inline std::vector<double> room_for(size_t values) {
    std::vector<double> room;
    room.reserve(values + 1);
    room.resize(values);
    return room;
}

#endif
