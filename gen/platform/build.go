package platform

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Build is how a platform is built by the vendor's tools.
type Build struct {
	// Firmware says where the image of the control firmware is put: FirmwareImage
	// or FirmwareKernel.
	Firmware string
	// Timing says what a build that misses timing is: TimingMust or TimingReport.
	Timing string
	// Jobs are the threads of Vivado in the link (v++ --jobs, UG1702, "v++ General
	// Options"); 0 means as many as the step has processors.
	Jobs int
	// Debug and Profile are lines of the sections [debug] and [profile] of the
	// link configuration (UG1702, "--debug Options", "--profile Options").
	Debug, Profile []Setting
	Hang           bool // logic analyzers inside kernels sample their nets
	// LinkOptions are further arguments of v++ --link.
	LinkOptions []string
	// Vivado and Advanced are lines of the sections [vivado] and [advanced], by
	// name (UG1702, "--vivado Options", "--advanced Options").
	Vivado, Advanced []Setting
	// PostLink are Tcl files that run after the platform's own post-link Tcl.
	PostLink []SourceFile
	// Steps are what steps take, by kind: what the platform says, and defaults.
	// All kinds are there.
	Steps map[step.Kind]step.Resources
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

// Line is the setting as a configuration file has it. Of names that begin with
// param or prop that word is the key, and the rest belongs to the value (UG1702,
// "--vivado Options").
func (s Setting) Line() string {
	for _, key := range []string{"param", "prop", "misc"} {
		if rest, ok := cutPrefix(s.Name, key+"."); ok {
			return key + "=" + rest + "=" + s.Value
		}
	}
	return s.Name + "=" + s.Value
}

// Slurm is how jobs of a build are submitted to a cluster. Empty means: as the
// cluster does it by default.
type Slurm struct {
	Partition, Account, QOS, Constraint string
	Options                             []string // further options of sbatch
}

// defaultResources are what steps take unless the platform says otherwise. A link
// for a card takes 32 GB and more (UG973, "Memory Recommendations" of the large
// parts), and synthesis of one kernel a fraction of it.
var defaultResources = map[step.Kind]step.Resources{
	step.Source:  {CPUs: 4, Memory: 16 << 10, Time: 8 * time.Hour},
	step.HLS:     {CPUs: 2, Memory: 8 << 10, Time: 2 * time.Hour},
	step.Package: {CPUs: 2, Memory: 8 << 10, Time: 2 * time.Hour},
	step.Link:    {CPUs: 8, Memory: 64 << 10, Time: 24 * time.Hour},
	step.Shell:   {CPUs: 8, Memory: 64 << 10, Time: 24 * time.Hour},
	step.Image:   {CPUs: 1, Memory: 8 << 10, Time: time.Hour},
}
