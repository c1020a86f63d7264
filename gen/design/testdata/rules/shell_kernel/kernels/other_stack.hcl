kernel "other_stack" {
  role     = "poe"
  each     = "poe"
  when     = false
  source   = "xo"
  control  = "ap_ctrl_none"
  instance = "poe_${poe.index}"
  place    = "poe"

  shell "other" {
    git      = "https://example.org/shell.git"
    revision = "main"
    streams  = 99
    known    = ["A"]
    options  = { B = "1" }
  }

  port "m_axis_rx_data" {
    axis  = "out"
    width = 512
    joins = "network/rx_data"
  }
}
