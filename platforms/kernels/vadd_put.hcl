# The example user kernel: adds 1 to each element and puts the result to another
# rank, with calls of its own.

kernel "vadd_put" {
  doc      = "Example user kernel."
  role     = "user"
  each     = "cclo"
  source   = "rtl"
  needs    = ["external_dma"]
  control  = "ap_ctrl_hs"
  instance = "vadd_${cclo.index}_0"
  place    = "cclo"
  calls    = true

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }

  port "m_axi_gmem" {
    doc   = "Its bank is left to the linker."
    axi   = "master"
    width = 512
  }

  port "cmd_to_cclo" {
    axis  = "out"
    width = 32
    joins = "control/client1.call"
    depth = 512
  }

  port "sts_from_cclo" {
    axis  = "in"
    width = 32
    joins = "control/client1.answer"
    depth = 512
  }

  port "data_to_cclo" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = "kernel/in"
  }

  port "data_from_cclo" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "kernel/out"
  }

  argument "src" {
    at    = hex("10")
    width = 64
    type  = "float*"
    port  = "m_axi_gmem"
    doc   = "Operand."
  }

  argument "dst" {
    at    = hex("1C")
    width = 64
    type  = "float*"
    port  = "m_axi_gmem"
    doc   = "Result."
  }

  argument "count" {
    at   = hex("28")
    type = "int"
    doc  = "Elements."
  }

  argument "destination" {
    at  = hex("30")
    doc = "Rank that the result is put to."
  }

  argument "comm_adr" {
    at  = hex("38")
    doc = "Address of the communicator."
  }

  argument "dpcfg_adr" {
    at  = hex("40")
    doc = "Address of the arithmetic configuration."
  }
}
