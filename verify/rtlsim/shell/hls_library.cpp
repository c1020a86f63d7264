#include "hls_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace sim {
namespace {

// copied makes a copy of a file; the result is its name, empty if that fails.
std::string copied(const std::string &path, std::string &why) {
    std::error_code code;
    auto name = (std::filesystem::temp_directory_path(code) / "cclforge-kernel-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) {
        why = "no temporary file " + name;
        return "";
    }
    close(file);
    std::filesystem::copy_file(path, name, std::filesystem::copy_options::overwrite_existing, code);
    if (!code) return name;
    why = "copy " + path + ": " + code.message();
    unlink(name.c_str());
    return "";
}

} // namespace

std::string Library::open(const std::string &path) {
    std::string why;
    const auto copy = copied(path, why);
    if (copy.empty()) return why;
    handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char *text = dlerror();
        why = text != nullptr ? text : path;
    }
    unlink(copy.c_str());
    if (handle == nullptr) return why;
    const auto find = [&](auto &function, const char *symbol) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
        if (function == nullptr && why.empty()) why = path + " has no function " + symbol;
    };
    find(version, "cclo_version");
    find(kernel, "cclo_kernel");
    find(ports, "cclo_ports");
    find(arguments, "cclo_arguments");
    find(begin, "cclo_open");
    find(end, "cclo_close");
    find(put, "cclo_put");
    find(get, "cclo_get");
    find(count, "cclo_count");
    find(moved, "cclo_moved");
    find(start, "cclo_start");
    find(run, "cclo_run");
    if (why.empty() && version() != CCLO_COMPONENT_VERSION) why = path + " has another version of the interface";
    return why;
}

Library::~Library() {
    if (handle != nullptr) dlclose(handle);
}

} // namespace sim
