kernel "mine" {
  role     = "user"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "mine_${cclo.index}"

  argument "n" {
    at   = hex("10")
    port = "s_axi_contrl"
  }

  port "s_axi_control" {
    axilite = "slave"
    range   = 4096
  }

  port "a" {
    axis  = "in"
    width = 512
    joins = "kernel/out"
  }

  port "b" {
    axis  = "out"
    width = 512
    joins = "kernel/in"
  }
}
