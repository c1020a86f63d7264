# Lets the host and a user kernel share an engine. A call and its answer stay
# together for each client.

kernel "client_arbiter" {
  doc      = "Arbiter between the clients of an engine."
  role     = "arbiter"
  each     = "cclo"
  when     = cclo.calls && cclo.dma == "external"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "arb_${cclo.index}"
  place    = "cclo"

  port "cmd_clients_0" {
    axis  = "in"
    width = 32
    joins = "control/client0.call"
  }

  port "ack_clients_0" {
    axis  = "out"
    width = 32
    joins = "control/client0.answer"
  }

  port "cmd_clients_1" {
    axis  = "in"
    width = 32
    joins = "control/client1.call"
    depth = 512
  }

  port "ack_clients_1" {
    axis  = "out"
    width = 32
    joins = "control/client1.answer"
    depth = 512
  }

  port "cmd_cclo" {
    axis  = "out"
    width = 32
    joins = "control/call"
  }

  port "ack_cclo" {
    axis  = "in"
    width = 32
    joins = "control/answer"
  }
}
