#include "fields.h"

#include "batch.h"

#include <algorithm>
#include <cstring>
#include <memory>

/* ---- errors and names ----------------------------------------------------------------------------------------- */

static nb::handle error_type; /* belongs to the module */

void set_error_type(nb::handle type) {
    error_type = type;
}

void raise_error(taut_status status, const char* sentence) {
    nb::object error = error_type(sentence);
    error.attr("status") = taut_status_name(status);
    PyErr_SetObject(error_type.ptr(), error.ptr());
    throw nb::python_error();
}

void check(taut_status status) {
    if (status != TAUT_OK) {
        raise_error(status, taut_last_error());
    }
}

int value_of(const std::vector<Name>& names, const char* what, nb::handle name) {
    std::string text, all;
    if (!nb::try_cast(name, text)) {
        throw nb::type_error((std::string(what) + ": takes a name").c_str());
    }
    for (const Name& n : names) {
        if (text == n.name) {
            return n.value;
        }
        all += (all.empty() ? "" : ", ") + std::string(n.name);
    }
    throw nb::value_error((std::string(what) + ": is '" + text + "'; it takes " + all).c_str());
}

const char* name_of(const std::vector<Name>& names, int value) {
    for (const Name& n : names) {
        if (n.value == value) {
            return n.name;
        }
    }
    return "unknown";
}

/* ---- definitions ---------------------------------------------------------------------------------------------- */

static size_t bytes_of(Type type) {
    return type == Type::boolean ? 1 : type == Type::u32 || type == Type::i32 ? 4 : 8;
}

template <class T> static void put(char* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

template <class As, class T> static bool put_whole(char* at, nb::handle value) {
    T number = 0;
    const bool good = nb::try_cast(value, number);
    if (good) {
        put(at, static_cast<As>(number));
    }
    return good;
}

static bool put_scalar(Type type, char* at, nb::handle value) {
    double number = 0;
    bool is = false;
    switch (type) {
    case Type::f64:
        if (PyBool_Check(value.ptr()) || !nb::try_cast(value, number)) {
            return false;
        }
        put(at, number);
        return true;
    case Type::boolean:
        if (!nb::try_cast(value, is)) {
            return false;
        }
        put(at, is);
        return true;
    case Type::u32:
        return put_whole<uint32_t, uint32_t>(at, value);
    case Type::u64:
        return put_whole<uint64_t, uint64_t>(at, value);
    case Type::size: /* products of two of them do not overflow */
        return put_whole<size_t, uint32_t>(at, value);
    case Type::i32:
        return put_whole<int, int>(at, value);
    case Type::pointer:
        return put_whole<uintptr_t, uintptr_t>(at, value);
    case Type::text:
        break;
    }
    return false;
}

static void set_scalar(const Member& m, char* at, nb::handle value) {
    if (put_scalar(m.type, at, value)) {
        return;
    }
    throw nb::type_error((std::string(m.name) + ": cannot be " + nb::repr(value).c_str()).c_str());
}

static const Member* find_member(const Table& table, const std::string& name) {
    for (const Member& m : table.members) {
        if (name == m.name) {
            return &m;
        }
    }
    std::string all;
    for (const Member& m : table.members) {
        all += (all.empty() ? "" : ", ") + std::string(m.name);
    }
    throw nb::type_error((std::string(table.name) + " has no member '" + name + "'; it has " + all).c_str());
}

Filling::Filling(const Table& table, void* out, const nb::dict& given) : table_(table), out_(static_cast<char*>(out)) {
    for (auto [key, value] : given) {
        const Member& m = *find_member(table, nb::cast<std::string>(key));
        char* at = out_ + m.offset;
        if (value.is_none()) {
            continue; /* the default */
        }
        if (m.form == Form::enumeration) {
            put(at, value_of(*m.names, m.name, value));
        } else if (m.form == Form::structure) {
            nb::dict members;
            if (!nb::try_cast(value, members)) {
                throw nb::type_error((std::string(m.name) + ": takes a dict of its members").c_str());
            }
            inner_.emplace_back(*m.table, at, members);
        } else if (m.form == Form::fixed) {
            const bool whole = m.type == Type::u32;
            const Numbers n = whole ? indices(value, m.name, 1, m.columns) : doubles(value, m.name, 1, m.columns);
            std::memcpy(at, n.data(), m.columns * bytes_of(m.type));
        } else if (m.form == Form::scalar) {
            set_scalar(m, at, value);
            if (m.type == Type::size) {
                known_.push_back(m.offset);
            }
        }
    }
    take_arrays(given);
    take_counts();
    take_arity();
    check_rows();
}

void Filling::take_arrays(const nb::dict& given) {
    for (const Member& m : table_.members) {
        if (m.form == Form::array && given.contains(m.name) && !given[m.name].is_none()) {
            arrays_.emplace_back(&m, Numbers(given[m.name], m.type, m.name));
            const void* data = arrays_.back().second.data();
            std::memcpy(out_ + m.offset, &data, sizeof data);
        }
    }
}

const Numbers* Filling::offsets() const {
    for (const auto& [m, numbers] : arrays_) {
        if ((m->rows == Rows::offsets || m->rows == Rows::offsets3) && numbers.size() > 0) {
            return &numbers;
        }
    }
    return nullptr;
}

/* Rows that an array must have, of counts and offsets that are known. */
size_t Filling::rows_wanted(const Member& m) const {
    const Numbers* all = offsets();
    const size_t last = all ? static_cast<const size_t*>(all->data())[all->size() - 1] : 0;
    size_t count = 0;
    std::memcpy(&count, out_ + m.count, sizeof count);
    switch (m.rows) {
    case Rows::counted:
        return count;
    case Rows::offsets:
        return count + 1;
    case Rows::offsets3:
        return 3 * count + 1;
    case Rows::pieces:
        return last - std::min(last, count);
    case Rows::bends:
        return last - std::min(last, 2 * count);
    case Rows::entries:
        break;
    }
    if (all) {
        return last;
    }
    for (const Member& other : table_.members) {
        if (std::strcmp(other.name, "arity") == 0) {
            size_t arity = 0;
            std::memcpy(&arity, out_ + other.offset, sizeof arity);
            return count * arity;
        }
    }
    throw nb::value_error((std::string(m.name) + ": needs offsets").c_str());
}

bool Filling::knows(size_t offset) const {
    return std::count(known_.begin(), known_.end(), offset) > 0;
}

void Filling::learn(size_t offset, size_t count) {
    if (!knows(offset)) {
        std::memcpy(out_ + offset, &count, sizeof count);
        known_.push_back(offset);
    }
}

/* Each count is that of the arrays that have one row per element. */
void Filling::take_counts() {
    for (auto& [m, n] : arrays_) {
        if (m->rows == Rows::counted) {
            learn(m->count, n.shaped(any_rows, m->columns).rows());
        } else if ((m->rows == Rows::offsets || m->rows == Rows::offsets3) && n.size() > 0) {
            learn(m->count, (n.size() - 1) / (m->rows == Rows::offsets ? 1 : 3));
        }
    }
}

/* Without offsets, entries are count x arity. */
void Filling::take_arity() {
    for (const Member& m : table_.members) {
        for (auto& [array, n] : arrays_) {
            if (std::strcmp(m.name, "arity") == 0 && array->rows == Rows::entries && !offsets()) {
                learn(m.offset, n.dimensions() == (array->columns > 1 ? 3 : 2) ? n.extent(1) : 1);
                learn(array->count, n.extent(0));
            }
        }
    }
}

/* A count that nothing tells is 1. */
void Filling::check_rows() {
    for (auto& [m, n] : arrays_) {
        const size_t wanted = rows_wanted(*m);
        const bool by_value = m->rows == Rows::entries && m->columns == 1; /* of any shape */
        const bool by_arity = m->rows == Rows::entries && n.dimensions() == 3 && n.extent(2) == m->columns;
        const size_t has = by_value   ? n.size()
                           : by_arity ? n.size() / m->columns
                                      : n.shaped(any_rows, m->columns).rows();
        if (has != wanted) {
            throw nb::value_error(
                (std::string(m->name) + ": has " + std::to_string(has) + " rows in place of " + std::to_string(wanted))
                    .c_str());
        }
    }
    for (const Member& m : table_.members) {
        if (std::strcmp(m.name, "count") == 0) {
            learn(m.offset, 1);
        }
    }
}

/* ---- reports and records -------------------------------------------------------------------------------------- */

template <class T> static T get(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

static nb::object scalar_at(Type type, const char* at) {
    switch (type) {
    case Type::f64:
        return nb::float_(get<double>(at));
    case Type::boolean:
        return nb::cast(get<bool>(at));
    case Type::u32:
        return nb::int_(get<uint32_t>(at));
    case Type::u64:
        return nb::int_(get<uint64_t>(at));
    case Type::size:
        return nb::int_(get<size_t>(at));
    case Type::i32:
        return nb::int_(get<int>(at));
    case Type::text:
        return nb::str(get<const char*>(at));
    case Type::pointer:
        return nb::int_(get<uintptr_t>(at));
    }
    return nb::none();
}

static nb::object fixed_at(const Member& m, const char* at) {
    if (m.type == Type::text) {
        return nb::str(at);
    }
    if (m.names) {
        nb::dict by_name;
        for (const Name& n : *m.names) {
            by_name[n.name] = scalar_at(m.type, at + (size_t)n.value * bytes_of(m.type));
        }
        return by_name;
    }
    nb::list values;
    for (size_t i = 0; i < m.columns; i++) {
        values.append(scalar_at(m.type, at + i * bytes_of(m.type)));
    }
    return nb::tuple(values);
}

nb::object to_python(taut_range range) {
    return nb::steal<nb::object>(PyObject_CallFunction((PyObject*)&PyRange_Type, "KK", (unsigned long long)range.first,
                                                       (unsigned long long)range.first + range.count));
}

nb::object to_python(taut_body_ranges ranges) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < ranges.points.count; i++) {
        const taut_body body = taut_body_of(ranges, i);
        numbers.insert(numbers.end(), {body.point, body.frame});
    }
    return to_array(std::move(numbers), {ranges.points.count, 2});
}

nb::object value_at(const Member& m, const void* base, uint64_t scene) {
    const char* at = static_cast<const char*>(base) + m.offset;
    switch (m.form) {
    case Form::enumeration:
        return nb::str(name_of(*m.names, get<int>(at)));
    case Form::fixed:
        return fixed_at(m, at);
    case Form::structure:
        return to_dict(*m.table, at, scene);
    case Form::range:
        return to_python(get<taut_range>(at));
    case Form::batch:
        return nb::cast(Batch{get<taut_batch>(at).id, scene});
    default:
        return scalar_at(m.type, at);
    }
}

nb::dict to_dict(const Table& table, const void* base, uint64_t scene) {
    nb::dict all;
    for (const Member& m : table.members) {
        if (m.form != Form::array) {
            all[m.name] = value_at(m, base, scene);
        }
    }
    return all;
}

static bool put_fixed(const Member& m, char* at, nb::handle value) {
    const size_t bytes = bytes_of(m.type);
    std::string text;
    if (m.type == Type::text) {
        const bool good = nb::try_cast(value, text) && text.size() < m.columns;
        std::memcpy(at, text.c_str(), good ? text.size() + 1 : 0);
        return good;
    }
    bool good = nb::len(value) == (m.names ? m.names->size() : m.columns);
    for (size_t i = 0; good && !m.names && i < m.columns; i++) {
        good = put_scalar(m.type, at + i * bytes, value[i]);
    }
    for (size_t i = 0; good && m.names && i < m.names->size(); i++) {
        const Name& n = (*m.names)[i];
        good = put_scalar(m.type, at + (size_t)n.value * bytes, value[n.name]);
    }
    return good;
}

static bool put_member(const Member& m, char* at, nb::handle value) {
    switch (m.form) {
    case Form::enumeration:
        put(at, value_of(*m.names, m.name, value));
        return true;
    case Form::fixed:
        return put_fixed(m, at, value);
    case Form::structure:
        from_dict(*m.table, at, nb::cast<nb::dict>(value));
        return true;
    case Form::range:
        put(at, taut_range{nb::cast<uint32_t>(value.attr("start")), (uint32_t)nb::len(value)});
        return true;
    default:
        return put_scalar(m.type, at, value);
    }
}

void from_dict(const Table& table, void* out, const nb::dict& values) {
    bool good = nb::len(values) == table.members.size();
    for (size_t i = 0; good && i < table.members.size(); i++) {
        const Member& m = table.members[i];
        good = values.contains(m.name) && put_member(m, static_cast<char*>(out) + m.offset, values[m.name]);
    }
    if (!good) {
        throw nb::value_error((std::string(table.name) + ": was made by another version").c_str());
    }
}

bool has_from_dict(const Table& table) {
    return std::all_of(table.members.begin(), table.members.end(), [](const Member& m) {
        return m.form != Form::batch && m.form != Form::array && (m.form != Form::scalar || m.type != Type::text);
    });
}

static std::string format_of(const Member& m) {
    const std::string one = m.type == Type::f64       ? "f8"
                            : m.type == Type::boolean ? "?"
                            : bytes_of(m.type) == 4   ? m.type == Type::i32 ? "i4" : "u4"
                                                      : "u8";
    return m.form == Form::fixed ? "(" + std::to_string(m.columns) + ",)" + one : one;
}

nb::object dtype_of(const Table& table) {
    nb::list names, formats, offsets;
    for (const Member& m : table.members) {
        names.append(m.name);
        formats.append(format_of(m));
        offsets.append(m.offset);
    }
    nb::dict spec;
    spec["names"] = names;
    spec["formats"] = formats;
    spec["offsets"] = offsets;
    spec["itemsize"] = table.bytes;
    return nb::module_::import_("numpy").attr("dtype")(spec);
}

nb::object to_records(const Table& table, const void* records, size_t count) {
    nb::object numpy = nb::module_::import_("numpy");
    nb::bytes bytes(static_cast<const char*>(records), count * table.bytes);
    return numpy.attr("frombuffer")(bytes, dtype_of(table)).attr("copy")();
}
