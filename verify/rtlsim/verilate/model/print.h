// Verilator prints through this function, so that the shell of a model may keep what it says. Included before
// everything else.
#pragma once

#ifdef __cplusplus
extern "C"
#endif
int sim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define VL_PRINTF sim_print
