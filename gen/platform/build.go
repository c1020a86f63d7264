package platform

import (
	"time"

	"github.com/hashicorp/hcl/v2"
)

// Build is how a platform is built by the vendor's tools.
type Build struct {
	// Firmware says where the image of the control firmware is put: FirmwareImage
	// or FirmwareKernel.
	Firmware string
	// Timing says what a build that misses timing is: TimingMust or TimingReport.
	Timing string
	// Jobs are the threads of Vivado in the link (v++ --jobs, UG1393, "--jobs"); 0
	// leaves it to the processors that the step gets.
	Jobs int
	// Debug and Profile are lines of the sections [debug] and [profile] of the
	// link configuration (UG1393, "--debug Options", "--profile Options").
	Debug, Profile []Setting
	// LinkOptions are further arguments of v++ --link.
	LinkOptions []string
	// Vivado and Advanced are lines of the sections [vivado] and [advanced], by
	// name (UG1393, "--vivado Options", "--advanced Options").
	Vivado, Advanced []Setting
	// PostLink are Tcl files that run after the platform's own post-link Tcl.
	PostLink []SourceFile
	// Steps are what steps take, by kind: what the platform says, and defaults.
	Steps map[string]StepResources
	Slurm Slurm
	Range hcl.Range
}

// Where the image of the control firmware is put.
const (
	FirmwareImage  = "image"  // into the linked design, when all else is done
	FirmwareKernel = "kernel" // into the kernel, when it is packaged
)

// What a build is that misses timing.
const (
	TimingMust   = "must"   // failed
	TimingReport = "report" // done, with a warning
)

// Setting is a line of a section of the link configuration.
type Setting struct {
	Name, Value string // "prop.run.impl_1.STRATEGY", "Performance_Explore"
	Range       hcl.Range
}

// StepResources are what a step takes.
type StepResources struct {
	CPUs   int
	Memory int           // MiB
	Time   time.Duration // limit
}

// Slurm is how jobs of a build are submitted to a cluster. Empty means: as the
// cluster does it by default.
type Slurm struct {
	Partition, Account, QOS, Constraint string
	Options                             []string // further options of sbatch
}

// XO is where a kernel of somebody else comes from: a file, or a build of a git
// repository at a revision.
type XO struct {
	// Path is a file: absolute, or relative to the directory of the description.
	Path string
	// Variable is an environment variable that Path is relative to.
	Variable string

	Git        string // URL
	Revision   string // 40 hexadecimal digits
	Submodules bool
	Directory  string // where Command runs, below the repository's top
	Command    string // a command line for bash
	Produces   string // the .xo, relative to the repository's top
	// Repositories are directories of IP that the build leaves and the link reads
	// (v++ --user_ip_repo_paths).
	Repositories []string
	// PostLink is a Tcl file of the repository that has to run at the link.
	PostLink string
	Range    hcl.Range
}
