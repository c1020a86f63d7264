toolchain "vitis" {
  since = { microblaze_v = "next year" }

  tool "v++" {
    doc       = "Links."
    source    = "settings64.sh"
    variable  = "XILINX_VITIS"
    arguments = ["--version"]
    pattern   = "v++"
  }

  tool "vivado" {
    doc       = "Packages."
    source    = "settings64.sh"
    arguments = ["-version"]
    pattern   = "v(.*)"
    same_as   = "v++"
    path      = "bin/vivado"
  }

  tool "vivado" {
    doc    = "Packages."
    source = "settings64.sh"
  }

  version "2022" { hls = "vivado" }

  version "2022.1" { hls = "hls" }

  version "2022.1" { hls = "vivado" }
}
