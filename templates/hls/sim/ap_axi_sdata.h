// Stand-in for the vendor's header of the same name, for tests only: the beats of
// AXI4-Streams. hls::axis<T, WUser, WId, WDest> has the fields data, keep, strb, user,
// last, id and dest, and get_ and set_ functions for each; ap_axiu<W, U, I, D> and
// ap_axis<W, U, I, D> are that with data of ap_uint<W> and ap_int<W>; qdma_axis<W, 0,
// 0, 0> is the form between a kernel and the host; hls::axis_data<T, EnableSignals> is
// an axis with its parameters in another order.
//
// A field that has no bits, or that EnableSignals leaves out, is there, so that code
// compiles, but does not keep what it is given: it reads as 0.
#ifndef CCLO_SIM_AP_AXI_SDATA_H
#define CCLO_SIM_AP_AXI_SDATA_H

#include <climits>
#include <cstddef>
#include <cstdint>

#include "ap_int.h"

#define AXIS_ENABLE_DATA 0b00000001
#define AXIS_ENABLE_DEST 0b00000010
#define AXIS_ENABLE_ID 0b00000100
#define AXIS_ENABLE_KEEP 0b00001000
#define AXIS_ENABLE_LAST 0b00010000
#define AXIS_ENABLE_STRB 0b00100000
#define AXIS_ENABLE_USER 0b01000000
#define AXIS_DISABLE_ALL 0
#define AXIS_ENABLE_ALL 0b01111111

namespace cclo_sim {

template <class T> struct bits_of { static constexpr int value = int(sizeof(T)) * CHAR_BIT; };
template <int W> struct bits_of<ap_int<W>> { static constexpr int value = W; };
template <int W> struct bits_of<ap_uint<W>> { static constexpr int value = W; };

// A field that a beat does not have: 0, whatever it is given.
struct absent : ap_uint<1> {
    absent() = default;
    template <class T> absent(const T &) {}
    template <class T> absent &operator=(const T &) { return *this; }
};

template <int W, bool Enabled = true> struct field { using type = ap_uint<W>; };
template <int W> struct field<W, false> { using type = absent; };
template <> struct field<0, true> { using type = absent; };

} // namespace cclo_sim

namespace hls {

template <class T, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0,
          uint8_t EnableSignals = AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB,
          bool StrictEnablement = false>
struct axis {
    static constexpr int bytes = (cclo_sim::bits_of<T>::value + 7) / 8;
    using Data = T;
    using Keep = typename cclo_sim::field<bytes, (EnableSignals & AXIS_ENABLE_KEEP) != 0>::type;
    using Strb = typename cclo_sim::field<bytes, (EnableSignals & AXIS_ENABLE_STRB) != 0>::type;
    using User = typename cclo_sim::field<int(WUser)>::type;
    using Last = typename cclo_sim::field<1, (EnableSignals & AXIS_ENABLE_LAST) != 0>::type;
    using Id = typename cclo_sim::field<int(WId)>::type;
    using Dest = typename cclo_sim::field<int(WDest)>::type;

    Data data = {};
    Keep keep;
    Strb strb;
    User user;
    Last last;
    Id id;
    Dest dest;

    Data get_data() const { return data; }
    Keep get_keep() const { return keep; }
    Strb get_strb() const { return strb; }
    User get_user() const { return user; }
    Last get_last() const { return last; }
    Id get_id() const { return id; }
    Dest get_dest() const { return dest; }
    void set_data(const Data &x) { data = x; }
    void set_keep(const Keep &x) { keep = x; }
    void set_strb(const Strb &x) { strb = x; }
    void set_user(const User &x) { user = x; }
    void set_last(const Last &x) { last = x; }
    void set_id(const Id &x) { id = x; }
    void set_dest(const Dest &x) { dest = x; }
    void keep_all() { keep = ap_int<bytes>(-1); }
    void strb_all() { strb = ap_int<bytes>(-1); }
};

template <class T, uint8_t EnableSignals = AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB,
          std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, bool StrictEnablement = true>
using axis_data = axis<T, WUser, WId, WDest, EnableSignals, StrictEnablement>;

} // namespace hls

template <std::size_t WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0,
          uint8_t EnableSignals = AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB,
          bool StrictEnablement = false>
using ap_axis = hls::axis<ap_int<int(WData)>, WUser, WId, WDest, EnableSignals, StrictEnablement>;

template <std::size_t WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0,
          uint8_t EnableSignals = AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB,
          bool StrictEnablement = false>
using ap_axiu = hls::axis<ap_uint<int(WData)>, WUser, WId, WDest, EnableSignals, StrictEnablement>;

template <std::size_t WData, std::size_t WUser, std::size_t WId, std::size_t WDest> struct qdma_axis;

template <std::size_t WData> struct qdma_axis<WData, 0, 0, 0> {
    static constexpr int bytes = (int(WData) + 7) / 8;

    ap_uint<int(WData)> data;
    ap_uint<bytes> keep;
    ap_uint<1> last;

    qdma_axis(ap_uint<int(WData)> d = 0, ap_uint<bytes> k = 0, ap_uint<1> l = 0) : data(d), keep(k), last(l) {}

    ap_uint<int(WData)> get_data() const { return data; }
    ap_uint<bytes> get_keep() const { return keep; }
    ap_uint<1> get_last() const { return last; }
    void set_data(const ap_uint<int(WData)> &x) { data = x; }
    void set_keep(const ap_uint<bytes> &x) { keep = x; }
    void set_last(const ap_uint<1> &x) { last = x; }
    void keep_all() { keep = ap_int<bytes>(-1); }
};

#endif
