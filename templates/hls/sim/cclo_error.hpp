// What the stand-in for the vendor's headers reports mistakes with. For tests only.
#ifndef CCLO_SIM_ERROR_HPP
#define CCLO_SIM_ERROR_HPP

#include <stdexcept>
#include <string>

namespace cclo_sim {

// What no kernel may do: a bit outside a value, a division by zero, a read of an
// inner stream that is empty.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] __attribute__((noinline, cold)) inline void fail(const std::string &text) {
    throw error(text);
}

} // namespace cclo_sim

#endif
