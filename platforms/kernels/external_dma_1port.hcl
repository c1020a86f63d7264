# Data mover of an engine: commands and streams in, AXI4 bursts out.

kernel "external_dma_1port" {
  doc      = "Data mover to card memory."
  role     = "dma"
  each     = "dma"
  when     = cclo.dma == "external" && !platform.host_memory
  source   = "rtl"
  needs    = ["external_dma"]
  control  = "user_managed"
  instance = "extdma_${cclo.index}_${dma.index}"
  place    = "cclo"

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("10000")
  }

  port "m_axi_0" {
    axi    = "master"
    width  = 512
    memory = "cclo"

    bursts {
      outstanding = 64
      read        = 64
      write       = 16
    }
  }

  port "s_axis_s2mm" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "dma/${dma.index}.s2mm"
  }

  port "s_axis_s2mm_cmd" {
    axis  = "in"
    width = 104
    tdest = 8
    joins = "dma/${dma.index}.s2mm_cmd"
  }

  port "m_axis_s2mm_sts" {
    axis  = "out"
    width = 32
    joins = "dma/${dma.index}.s2mm_sts"
  }

  port "m_axis_mm2s" {
    axis  = "out"
    width = 512
    joins = "dma/${dma.index}.mm2s"
  }

  port "s_axis_mm2s_cmd" {
    axis  = "in"
    width = 104
    tdest = 8
    joins = "dma/${dma.index}.mm2s_cmd"
  }

  port "m_axis_mm2s_sts" {
    axis  = "out"
    width = 8
    joins = "dma/${dma.index}.mm2s_sts"
  }

  # Offset and, behind the six streams, id 6 are those that ACCL's hosts expect
  # (Xilinx/ACCL, kernels/plugins/external_dma/gen_files.py). The register does nothing.
  argument "m_axi_0" {
    at    = hex("20")
    width = 64
    type  = "int*"
    port  = "m_axi_0"
  }
}
