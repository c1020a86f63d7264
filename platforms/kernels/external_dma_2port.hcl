# Data mover of an engine that also reaches host memory. The TDEST of a command
# selects the memory: 0 card, 1 host.

kernel "external_dma_2port" {
  doc      = "Data mover to card and host memory."
  role     = "dma"
  each     = "dma"
  when     = cclo.dma == "external" && platform.host_memory
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
  }

  port "m_axi_1" {
    axi    = "master"
    width  = 512
    memory = "host"
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

  argument "m_axi_0" {
    at    = hex("10")
    width = 64
    type  = "int*"
    port  = "m_axi_0"
  }

  argument "m_axi_1" {
    at    = hex("20")
    width = 64
    type  = "int*"
    port  = "m_axi_1"
  }
}
