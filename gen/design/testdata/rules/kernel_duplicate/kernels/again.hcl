kernel "loopback" {
  role    = "closer"
  source  = "rtl"
  control = "ap_ctrl_none"
}
