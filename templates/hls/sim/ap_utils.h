// Stand-in for the vendor's header of the same name, for tests only. Here time does
// not pass: waiting does nothing.
#ifndef CCLO_SIM_AP_UTILS_H
#define CCLO_SIM_AP_UTILS_H

inline void ap_wait() {}
inline void ap_wait_n(int) {}
inline void ap_wait_until(bool) {}

#endif
