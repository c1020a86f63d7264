kernel "mine" {
  role     = "user"
  source   = "vhdl"
  control  = "ap_ctrl"
  instance = "mine_${cclo.index}"
}
