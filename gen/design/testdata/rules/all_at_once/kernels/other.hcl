kernel "my_udp" {
  role    = "poe"
  source  = "rtll"
  control = "ap_ctrl_none"
}
