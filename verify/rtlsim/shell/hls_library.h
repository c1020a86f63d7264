// The functions of a library that holds a kernel (component.h).
#pragma once

#include <string>

#include "component.h"

namespace sim {

// Library is a copy of a library, so that nobody shares its variables.
class Library {
  public:
    Library() = default;
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;
    ~Library();

    // The result is why it cannot be used, or empty.
    std::string open(const std::string &path);

    decltype(&cclo_version) version = nullptr;
    decltype(&cclo_kernel) kernel = nullptr;
    decltype(&cclo_ports) ports = nullptr;
    decltype(&cclo_arguments) arguments = nullptr;
    decltype(&cclo_open) begin = nullptr;
    decltype(&cclo_close) end = nullptr;
    decltype(&cclo_put) put = nullptr;
    decltype(&cclo_get) get = nullptr;
    decltype(&cclo_count) count = nullptr;
    decltype(&cclo_moved) moved = nullptr;
    decltype(&cclo_start) start = nullptr;
    decltype(&cclo_run) run = nullptr;

  private:
    void *handle = nullptr;
};

} // namespace sim
