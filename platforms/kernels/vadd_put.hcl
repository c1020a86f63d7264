# The example user kernel: adds 1 to each element and puts the result to another
# rank, with calls of its own.

kernel "vadd_put" {
  doc      = "Example user kernel."
  like     = "called_kernel"
  source   = "rtl"
  needs    = ["external_dma"]
  instance = "vadd_${cclo.index}_0"

  hls {
    files = ["vadd_put.hpp", "ieee754.hpp"]
    top   = "vadd_put"
  }

  argument "src" {
    type = "float*"
    doc  = "Operand."
  }

  argument "dst" {
    type = "float*"
    doc  = "Result."
  }

  argument "count" {
    type = "int"
    doc  = "Elements."
  }

  argument "destination" {
    doc = "Rank that the result is put to."
  }

  argument "comm_adr" {
    doc = "Address of the communicator."
  }

  argument "dpcfg_adr" {
    doc = "Address of the arithmetic configuration."
  }
}
