# Data mover of an engine that also reaches host memory. The TDEST of a command
# selects the memory: 0 card, 1 host.

kernel "external_dma_2port" {
  doc  = "Data mover to card and host memory."
  like = "external_dma_1port"
  when = cclo.dma == "external" && platform.host_memory

  port "m_axi_1" {
    axi    = "master"
    width  = 512
    memory = "host"

    bursts {
      outstanding = 64
      read        = 64
      write       = 16
    }
  }

  # Id 7. ACCL has it at 0x20 as well, where two registers cannot be.
  argument "m_axi_1" {
    at    = hex("30")
    width = 64
    type  = "int*"
    port  = "m_axi_1"
  }
}
