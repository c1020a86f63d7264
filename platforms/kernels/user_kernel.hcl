# What user kernels that run freely have in common: data to and from the engine,
# and calls of their own, unless they say calls = false.

kernel "user_kernel" {
  doc      = "Runs freely at the engine's kernel streams."
  abstract = true
  role     = "user"
  each     = "cclo"
  control  = "ap_ctrl_none"
  place    = "cclo"
  calls    = true

  port "cmd_to_cclo" {
    when  = cclo.calls
    axis  = "out"
    width = 32
    joins = "control/client1.call"
    depth = 512
  }

  port "sts_from_cclo" {
    when  = cclo.calls
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
}
