#include "numbers.h"

#include <algorithm>

/* ---- arrays of the caller's ----------------------------------------------------------------------------------- */

static const char* numpy_name(Type type) {
    switch (type) {
    case Type::f64:
        return "float64";
    case Type::boolean:
        return "bool";
    case Type::u32:
        return "uint32";
    default:
        return "uint64";
    }
}

/* Values keep their meaning: no fractions or texts where whole numbers are asked for, nothing wraps around. */
static void check_values(nb::handle array, Type type, const std::string& what) {
    const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    const bool whole = kind == "i" || kind == "u";
    const bool empty = nb::cast<size_t>(array.attr("size")) == 0;
    if (type == Type::f64 ? !whole && kind != "f" : type == Type::boolean ? kind != "b" && !empty : !whole && !empty) {
        const char* wanted = type == Type::f64 ? "numbers" : type == Type::boolean ? "True and False" : "whole numbers";
        throw nb::type_error((what + ": takes " + wanted).c_str());
    }
    if (type == Type::f64 || type == Type::boolean || empty) {
        return;
    }
    const bool negative = kind == "i" && nb::cast<long long>(array.attr("min")()) < 0;
    if (negative && type != Type::u32) {
        throw nb::value_error((what + ": a number is below 0").c_str());
    }
    if (negative || (type == Type::u32 && nb::cast<unsigned long long>(array.attr("max")()) > UINT32_MAX)) {
        throw nb::value_error((what + ": a number is outside of 0 to 4294967295").c_str());
    }
}

/* NumPy's array of what is given; of what lies on a device a copy. */
static nb::object array_in(nb::handle given, const nb::module_& numpy) {
    nb::object array = nb::borrow(given);
    if (!nb::isinstance(given, numpy.attr("ndarray")) &&
        (nb::hasattr(given, "__dlpack_device__") || nb::hasattr(given, "__cuda_array_interface__"))) {
        array = nb::module_::import_("taut._views").attr("on_host")(given);
    }
    const bool capsule = nb::hasattr(array, "__dlpack__") && !nb::hasattr(array, "__array__");
    return capsule ? numpy.attr("from_dlpack")(array) : numpy.attr("asarray")(array);
}

Numbers::Numbers(nb::handle given, Type type, const std::string& what) : what_(what) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    nb::object array = array_in(given, numpy);
    check_values(array, type, what);
    if (nb::hasattr(given, "mask") && nb::cast<bool>(numpy.attr("ma").attr("is_masked")(given))) {
        throw nb::value_error((what + ": has masked values").c_str());
    }
    shape_ = array.attr("shape");
    dimensions_ = nb::len(shape_);
    kept_ = numpy.attr("ascontiguousarray")(array, numpy_name(type));
    array_ = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(kept_);
    rows_ = array_.size();
}

static std::string wanted(size_t rows, size_t columns) {
    if (rows == 1) {
        return std::to_string(columns) + (columns == 1 ? " value" : " values");
    }
    const std::string count = rows == any_rows ? "count" : std::to_string(rows);
    return columns == 1 ? count : count + " x " + std::to_string(columns);
}

Numbers& Numbers::shaped(size_t rows, size_t columns) {
    size_t inner = 1;
    for (size_t i = 1; i < array_.ndim(); i++) {
        inner *= array_.shape(i);
    }
    /* A row alone stands for one row; ascontiguousarray has made a number an array of one. */
    const bool flat = array_.ndim() == 1 && array_.size() == columns;
    rows_ = array_.size() / columns;
    const bool other = rows != any_rows && rows_ != rows;
    if ((!flat && inner != columns && array_.size() != 0) || (rows == 1 && other)) {
        throw nb::value_error((what_ + ": has the shape " + shape() + "; it takes " + wanted(rows, columns)).c_str());
    }
    if (other) {
        throw nb::value_error(
            (what_ + ": has " + std::to_string(rows_) + " rows in place of " + std::to_string(rows)).c_str());
    }
    return *this;
}

Numbers doubles(nb::handle given, const char* what, size_t rows, size_t columns) {
    Numbers n(given, Type::f64, what);
    n.shaped(rows, columns);
    return n;
}

Numbers indices(nb::handle given, const char* what, size_t rows, size_t columns) {
    Numbers n(given, Type::u32, what);
    n.shaped(rows, columns);
    return n;
}

/* ---- one for all, or one each --------------------------------------------------------------------------------- */

Extent extent_of(size_t count, std::optional<size_t> first, size_t columns, size_t dimensions,
                 std::initializer_list<const Numbers*> values) {
    if (!first) {
        return {0, count, columns, dimensions, false};
    }
    size_t rows = 0;
    bool told = false;
    for (const Numbers* n : values) {
        if (n->dimensions() >= dimensions) {
            rows = std::max(rows, n->size() / columns);
            told = true;
        }
    }
    return {*first, told ? rows : count - std::min(count, *first), columns, dimensions, true};
}

[[noreturn]] static void raise_rows(const Extent& extent, size_t rows, const std::string& what) {
    const std::string unit = extent.columns == 1 ? (rows == 1 ? " value" : " values") : rows == 1 ? " row" : " rows";
    const std::string takes =
        extent.part ? std::to_string(extent.rows) : "one for all, or " + std::to_string(extent.rows) + ", one for each";
    throw nb::value_error((what + ": has " + std::to_string(rows) + unit + "; it takes " + takes).c_str());
}

std::vector<double> rows_for(const Extent& extent, const Numbers& values, Alone alone) {
    std::vector<double> all = room_for(extent.rows * extent.columns);
    if (values.dimensions() == 0 && extent.columns > 1 && alone == Alone::refused) {
        const std::string columns = std::to_string(extent.columns);
        throw nb::value_error((values.what() + ": is a number; it takes " + columns + " values for all, or " +
                               std::to_string(extent.rows) + " x " + columns)
                                  .c_str());
    }
    if (values.dimensions() == 0) {
        std::fill(all.begin(), all.end(), *values.f64());
        return all;
    }
    Numbers n = values;
    const size_t rows = n.shaped(any_rows, extent.columns).rows();
    const bool for_all = rows == 1 && (!extent.part || n.dimensions() < extent.dimensions);
    if (rows != extent.rows && !for_all) {
        raise_rows(extent, rows, n.what());
    }
    for (size_t i = 0; i < all.size(); i++) {
        all[i] = n.f64()[for_all ? i % extent.columns : i];
    }
    return all;
}

/* ---- whole numbers -------------------------------------------------------------------------------------------- */

uint32_t whole_number(nb::handle given, const char* what, uint32_t least) {
    uint32_t number = 0;
    if (!nb::try_cast(given, number) || number < least) {
        throw nb::value_error((std::string(what) + ": is " + nb::repr(given).c_str() + "; it is a whole number from " +
                               std::to_string(least) + " to 4294967295")
                                  .c_str());
    }
    return number;
}
