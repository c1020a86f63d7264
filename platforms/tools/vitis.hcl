# What is known of the vendor's tools: how they are found, what they are asked for their
# versions, and what differs between versions. A version that is not listed is treated as
# the last one before it, with a warning.

toolchain "vitis" {
  doc = "AMD Vitis, Vivado and XRT."

  # Where v++ finds the files of board platforms (.xpfm): the directories of the variable
  # first (UG1702, "platforminfo Utility"; UG1393, "Installing Embedded Platforms").
  platform_variable = "PLATFORM_REPO_PATHS"
  platforms         = ["/opt/xilinx/platforms", "$XILINX_VITIS/platforms"]

  # The versions that things came with.
  since = {
    microblaze_v = "2024.1" # the IP (UG1629 2024.1)
  }

  tool "v++" {
    doc       = "Compiles kernels in C++ and links kernels."
    variable  = "XILINX_VITIS"
    path      = "bin/v++"
    source    = "settings64.sh of Vitis"
    arguments = ["--version"]
    pattern   = "v\\+\\+ v(20[0-9]{2}\\.[0-9](?:\\.[0-9]+)?)"
    versioned = true
  }

  tool "vitis_hls" {
    doc       = "Compiles kernels in C++, up to 2023.1."
    variable  = "XILINX_HLS"
    path      = "bin/vitis_hls"
    source    = "settings64.sh of Vitis"
    arguments = ["-version"]
    pattern   = "v(20[0-9]{2}\\.[0-9](?:\\.[0-9]+)?)"
    versioned = true
  }

  tool "vivado" {
    doc       = "Packages kernels in RTL; the linker runs it, too."
    variable  = "XILINX_VIVADO"
    path      = "bin/vivado"
    source    = "settings64.sh of Vitis or Vivado"
    arguments = ["-version"]
    pattern   = "(?i)vivado v(20[0-9]{2}\\.[0-9](?:\\.[0-9]+)?)"
    versioned = true
  }

  tool "updatemem" {
    doc       = "Puts the firmware into a bit stream (UG898, \"Using UpdateMEM\")."
    variable  = "XILINX_VIVADO"
    path      = "bin/updatemem"
    source    = "settings64.sh of Vitis or Vivado"
    same_as   = "vivado" # it comes with it, and has its version
    versioned = true
  }

  tool "emconfigutil" {
    doc       = "Describes the emulated card (UG1702, \"emconfigutil Utility\")."
    variable  = "XILINX_VITIS"
    path      = "bin/emconfigutil"
    source    = "settings64.sh of Vitis"
    same_as   = "v++"
    versioned = true
  }

  tool "xclbinutil" {
    doc       = "Takes sections out of .xclbin files and puts others in."
    variable  = "XILINX_XRT"
    path      = "bin/xclbinutil"
    source    = "/opt/xilinx/xrt/setup.sh"
    arguments = ["--version"]
    pattern   = "Version\\s*:\\s*([0-9]+\\.[0-9]+\\.[0-9]+)"
  }

  tool "xbutil" {
    doc       = "Lists and programs cards."
    variable  = "XILINX_XRT"
    path      = "bin/xbutil"
    source    = "/opt/xilinx/xrt/setup.sh"
    arguments = ["--version"]
    pattern   = "Version\\s*:\\s*([0-9]+\\.[0-9]+\\.[0-9]+)"
  }

  # These decide nothing about results, so that nobody asks for their versions.
  tool "git" {
    doc    = "Fetches kernels of others."
    source = "the package git"
  }

  tool "make" {
    doc    = "Builds kernels of others."
    source = "the package make"
  }

  tool "cmake" {
    doc    = "Builds kernels of others, and the RDMA shell."
    source = "the package cmake"
  }

  # 2022.1 is the oldest for which the shipped boards have a platform.
  version "2022.1" { hls = "vitis_hls" }

  version "2022.2" { hls = "vitis_hls" }

  version "2023.1" { hls = "vitis_hls" }

  # From here on v++ compiles C++ for itself, and vitis_hls is on its way out (UG1399
  # 2023.2, "Introduction to Vitis HLS Components").
  version "2023.2" { hls = "v++" }

  version "2024.1" { hls = "v++" }

  version "2024.2" {
    # vitis_hls is about to go; builds of third parties that call it need 2024.1 or older
    # (Vitis Libraries 2024.2, "Run a L1 Example").
    hls = "v++"
  }

  version "2025.1" {
    # There is no software emulation any more (UG1702 2025.1, "Revision History");
    # hardware emulation stays.
    hls = "v++"
  }

  version "2025.2" { hls = "v++" }

  version "2026.1" { hls = "v++" }
}
