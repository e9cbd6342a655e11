/* Memory that others own, for DLPack, and copies of what lies on a device. */
#include "handles.h"

#ifdef TAUT_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>

/* ---- out -------------------------------------------------------------------------------------------------------- */

static uint8_t code_of(char kind) {
    switch (kind) {
    case 'f':
        return static_cast<uint8_t>(nb::dlpack::dtype_code::Float);
    case 'i':
        return static_cast<uint8_t>(nb::dlpack::dtype_code::Int);
    case 'u':
        return static_cast<uint8_t>(nb::dlpack::dtype_code::UInt);
    case 'b':
        return static_cast<uint8_t>(nb::dlpack::dtype_code::Bool);
    default:
        throw nb::type_error("an array on a device takes numbers");
    }
}

/* An object with __dlpack__ over memory that `owner` keeps. Strides: elements; device: -1 is the host. */
static nb::object exported(uintptr_t address, const std::vector<size_t>& shape, const std::vector<int64_t>& strides,
                           const std::string& kind, size_t bytes, int device, bool writable, nb::handle owner) {
    const nb::dlpack::dtype dtype = {code_of(kind[0]), static_cast<uint8_t>(8 * bytes), 1};
    const int type = device < 0 ? nb::device::cpu::value : nb::device::cuda::value;
    auto* memory = reinterpret_cast<void*>(address);
    const int number = std::max(device, 0);
    if (writable) {
        return nb::cast(
            nb::ndarray<nb::array_api>(memory, shape.size(), shape.data(), owner, strides.data(), dtype, type, number));
    }
    return nb::cast(nb::ndarray<nb::array_api, nb::ro>(memory, shape.size(), shape.data(), owner, strides.data(), dtype,
                                                       type, number));
}

/* ---- in --------------------------------------------------------------------------------------------------------- */

static void copy_from_device(void* to, const void* from, size_t bytes) {
#ifdef TAUT_WITH_CUDA
    const nb::gil_scoped_release released;
    const cudaError_t status = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("an array on a device cannot be copied: ") + cudaGetErrorString(status));
    }
#else
    (void)to, (void)from, (void)bytes;
    throw nb::type_error("an array lies on a device, and this build of taut has no CUDA: copy it to the host first");
#endif
}

int device_of(const void* memory) {
#ifdef TAUT_WITH_CUDA
    cudaPointerAttributes about;
    if (cudaPointerGetAttributes(&about, memory) == cudaSuccess && about.device >= 0) {
        return about.device;
    }
#else
    (void)memory;
#endif
    return 0;
}

static void wait_for_stream(uintptr_t stream) {
#ifdef TAUT_WITH_CUDA
    const nb::gil_scoped_release released;
    const cudaError_t status = cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream));
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("the stream of an array cannot be waited for: ") +
                                 cudaGetErrorString(status));
    }
#else
    (void)stream;
#endif
}

static const char* kind_of(nb::dlpack::dtype dtype) {
    switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Float:
        return "f";
    case nb::dlpack::dtype_code::Int:
        return "i";
    case nb::dlpack::dtype_code::UInt:
        return "u";
    case nb::dlpack::dtype_code::Bool:
        return "b";
    default:
        throw nb::type_error("an array on a device takes numbers");
    }
}

/* All from the first to the last element by one copy, gaps included, as an array of NumPy. */
static nb::object copied_to_host(const nb::ndarray<nb::ro>& given) {
    const size_t bytes = given.itemsize();
    int64_t below = 0, above = 0; /* elements from the first one */
    std::vector<size_t> shape(given.ndim());
    std::vector<int64_t> strides(given.ndim());
    for (size_t i = 0; i < shape.size(); i++) {
        shape[i] = given.shape(i);
        strides[i] = given.stride(i) * static_cast<int64_t>(bytes);
        const int64_t reach = given.stride(i) * (static_cast<int64_t>(shape[i]) - 1);
        (reach < 0 ? below : above) += shape[i] > 0 ? reach : 0;
    }
    const size_t all = given.size() > 0 ? static_cast<size_t>(above - below + 1) * bytes : 0;
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object memory = numpy.attr("empty")(all, "uint8");
    if (all > 0) {
        const auto room = nb::cast<nb::ndarray<uint8_t, nb::device::cpu>>(memory);
        copy_from_device(room.data(), static_cast<const char*>(given.data()) + below * static_cast<int64_t>(bytes),
                         all);
    }
    const std::string dtype = kind_of(given.dtype()) + std::to_string(bytes);
    return numpy.attr("ndarray")(nb::tuple(nb::cast(shape)), dtype, memory, -below * static_cast<int64_t>(bytes),
                                 nb::tuple(nb::cast(strides)));
}

void bind_device_arrays(nb::module_& m) {
    m.def("exported", &exported, nb::arg("address"), nb::arg("shape"), nb::arg("strides"), nb::arg("kind"),
          nb::arg("bytes"), nb::arg("device"), nb::arg("writable"), nb::arg("owner"),
          nb::sig("def exported(address: int, shape: list[int], strides: list[int], kind: str, bytes: int, device: "
                  "int, writable: "
                  "bool, owner: object) -> typing.Any"),
          "An object with __dlpack__ over memory that `owner` keeps: for taut._views.");
    m.def("copied_to_host", &copied_to_host, nb::arg("capsule"),
          nb::sig("def copied_to_host(capsule: object) -> numpy.typing.NDArray[typing.Any]"),
          "An array of NumPy of a capsule of DLPack that lies on a device: for taut._views.");
    m.def("wait_for_stream", &wait_for_stream, nb::arg("stream"), "Waits for a stream of CUDA: for taut._views.");
}
