kernel "descent" {
  doc      = "Steps of gradient descent over all ranks."
  like     = "called_kernel"
  instance = "descent_${cclo.index}"

  hls {
    files = ["descent.hpp"]
    calls = "descend"
  }

  argument "weights" { type = "float*" }
  argument "targets" { type = "float*" }
  argument "count" {}
  argument "steps" {}
  argument "rate" { type = "float" }
  argument "comm_adr" {}
  argument "dpcfg_adr" {}
}
