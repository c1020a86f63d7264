package command

// Tool is a program that some part of the work can use.
type Tool struct {
	Name    string
	Version []string // the command that prints its version
	For     string
	Get     string
	// Package is Debian's package with it, if there is one.
	Package string
}

// Tools lists all tools, the most useful ones first.
var Tools = []Tool{
	{Name: "gcc", Version: []string{"gcc", "--version"}, Package: "gcc",
		For: "compiles the C headers in the tests, and the race detector"},
	{Name: "g++", Version: []string{"g++", "--version"}, Package: "g++",
		For: "compiles the HLS headers in the tests, and Verilator's models"},
	{Name: "make", Version: []string{"make", "--version"}, Package: "make",
		For: "runs the compiler for Verilator's models"},
	{Name: "verilator", Version: []string{"verilator", "--version"}, Package: "verilator",
		For: "checks and simulates the SystemVerilog"},
	{Name: "yosys", Version: []string{"yosys", "-V"}, Package: "yosys",
		For: "reads the SystemVerilog as a synthesis tool does"},
	{Name: "z3", Version: []string{"z3", "--version"}, Package: "z3",
		For: "proves properties of the RTL"},
	{Name: "riscv64-unknown-elf-gcc", Version: []string{"riscv64-unknown-elf-gcc", "--version"},
		Package: "gcc-riscv64-unknown-elf",
		For:     "rebuilds the control processor's firmware"},
	{Name: "staticcheck", Version: []string{"go", "tool", "staticcheck", "-version"},
		For: "checks the Go code", Get: "go.mod lists it; go builds it when it is needed"},
	{Name: "mpirun", Version: []string{"mpirun", "--version"}, Package: "openmpi-bin",
		For: "starts the ranks of a distributed run"},
	{Name: "mpicc", Version: []string{"mpicc.openmpi", "--version"}, Package: "libopenmpi-dev",
		For: "compiles the component by which MPI programs use engines"},
	{Name: "slurm", Version: []string{"srun", "--version"}, Package: "slurm-wlm",
		For: "runs long builds and distributed runs on a cluster"},
	{Name: "slurmd", Version: []string{"slurmd", "-V"}, Package: "slurm-wlm",
		For: "makes this host a cluster, in the tests of builds"},
	{Name: "munged", Version: []string{"munged", "--version"}, Package: "munge",
		For: "lets the parts of that cluster trust each other"},
	{Name: "tclsh", Version: []string{"tclsh", "/dev/null"}, Package: "tcl",
		For: "runs the generated Tcl in the tests, with Vivado's commands recorded"},
	{Name: "tshark", Version: []string{"tshark", "--version"}, Package: "tshark",
		For: "reads captured packets with the generated dissector, in the tests"},
	{Name: "numpy", Version: []string{"f2py3", "-v"}, Package: "python3-numpy",
		For: "runs Python programs on engines, and their tests"},
	{Name: "torch", Version: []string{"torchrun", "--help"}, Package: "python3-torch",
		For: "trains models with gradients that engines add up, in the tests of nightly"},
	{Name: "v++", Version: []string{"v++", "--version"},
		For: "links the kernels into an xclbin", Get: vitis},
	{Name: "vivado", Version: []string{"vivado", "-version"},
		For: "packages the RTL kernels and places the design", Get: vitis},
	{Name: "vitis_hls", Version: []string{"vitis_hls", "-version"},
		For: "compiles the HLS kernels, before Vitis 2023.2", Get: vitis},
	{Name: "xclbinutil", Version: []string{"xclbinutil", "--version"},
		For: "puts the firmware into an xclbin", Get: xrt},
	{Name: "xbutil", Version: []string{"xbutil", "--version"},
		For: "loads cards", Get: xrt},
}

const vitis = "install AMD Vitis 2022.1 or later and source its settings64.sh"
const xrt = "install XRT and source /opt/xilinx/xrt/setup.sh"

// Help says how to get the tool.
func (t Tool) Help() string {
	if t.Package != "" {
		return "apt-get install " + t.Package
	}
	return t.Get
}
