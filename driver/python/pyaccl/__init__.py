"""ACCL's Python driver, on engines of cclforge: the classes, arguments and defaults of its API reference."""

from .accl import ACCLArithConfig, accl
from .buffer import ACCLBuffer
from .constants import ACCLCompressionFlags, ACCLReduceFunctions, ACCLStreamFlags, ErrorCode

__all__ = ["ACCLArithConfig", "ACCLBuffer", "ACCLCompressionFlags", "ACCLReduceFunctions", "ACCLStreamFlags",
           "ErrorCode", "accl"]
