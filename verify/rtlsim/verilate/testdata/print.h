// What the model says, for the test.
#pragma once
int said_printf(const char *format, ...);
#define VL_PRINTF said_printf
