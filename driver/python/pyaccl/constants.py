"""Constants of the API. Reductions and error codes are those of the library, under ACCL's names."""

from enum import IntEnum

from cclforge import Bit, Reduction

TAG_ANY = 0xFFFFFFFF


class ACCLCompressionFlags(IntEnum):
    """Compression flags"""

    NO_COMPRESSION = 0
    OP0_COMPRESSED = 1
    OP1_COMPRESSED = 2
    RES_COMPRESSED = 4
    ETH_COMPRESSED = 8


class ACCLStreamFlags(IntEnum):
    """Stream flags"""

    NO_STREAM = 0
    OP0_STREAM = 1
    RES_STREAM = 2


#: ACCL counts reductions from 0.
ACCLReduceFunctions = IntEnum("ACCLReduceFunctions", [(r.name, r - 1) for r in Reduction], module=__name__)
ACCLReduceFunctions.__doc__ = "CCLO reduction functions"


def _codes():
    """Names and values; ACCL's names end in _ERROR, except those that say already what is wrong."""
    for name, bit in Bit.__members__.items():
        said = name.endswith(("_DMATAG_MISMATCH", "_INVALID", "_NOT_IMPLEMENTED", "_NOT_READY", "_NOT_SUCCEEDED",
                              "_NOT_VALID"))
        yield name if said else name + "_ERROR", int(bit)


# Bits 16 and 17 have other names since 2024, which are aliases here.
ErrorCode = IntEnum("ErrorCode", sorted(_codes(), key=lambda c: c[0].endswith("_INVALID")), module=__name__)
ErrorCode.__doc__ = "Error codes returned by CCLO kernel in FPGA"
