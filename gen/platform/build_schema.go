package platform

import "github.com/hashicorp/hcl/v2"

// The build block of a platform file, as it is decoded.

type buildBlock struct {
	Firmware         *string           `hcl:"firmware,optional"`
	FirmwareRange    hcl.Range         `hcl:"firmware,attr_value_range"`
	Timing           *string           `hcl:"timing,optional"`
	TimingRange      hcl.Range         `hcl:"timing,attr_value_range"`
	Jobs             *int              `hcl:"jobs,optional"`
	JobsRange        hcl.Range         `hcl:"jobs,attr_value_range"`
	LinkOptions      []string          `hcl:"link_options,optional"`
	LinkOptionsRange hcl.Range         `hcl:"link_options,attr_value_range"`
	Vivado           map[string]string `hcl:"vivado,optional"`
	VivadoRange      hcl.Range         `hcl:"vivado,attr_value_range"`
	Advanced         map[string]string `hcl:"advanced,optional"`
	AdvancedRange    hcl.Range         `hcl:"advanced,attr_value_range"`
	PostLink         []string          `hcl:"post_link,optional"`
	PostLinkRange    hcl.Range         `hcl:"post_link,attr_value_range"`
	Debug            *debugBlock       `hcl:"debug,block"`
	Profile          *profileBlock     `hcl:"profile,block"`
	Slurm            []slurmBlock      `hcl:"slurm,block"`
	Steps            []stepBlock       `hcl:"step,block"`
	Range            hcl.Range         `hcl:",def_range"`
	Body             hcl.Body          `hcl:",body"`
}

type debugBlock struct {
	Chipscope []string  `hcl:"chipscope,optional"`
	Protocol  []string  `hcl:"protocol,optional"`
	Range     hcl.Range `hcl:",def_range"`
	Body      hcl.Body  `hcl:",body"`
}

type profileBlock struct {
	Data   []string  `hcl:"data,optional"`
	Stall  []string  `hcl:"stall,optional"`
	Exec   []string  `hcl:"exec,optional"`
	Memory []string  `hcl:"memory,optional"`
	Range  hcl.Range `hcl:",def_range"`
	Body   hcl.Body  `hcl:",body"`
}

type slurmBlock struct {
	Partition       string    `hcl:"partition,optional"`
	PartitionRange  hcl.Range `hcl:"partition,attr_value_range"`
	Account         string    `hcl:"account,optional"`
	AccountRange    hcl.Range `hcl:"account,attr_value_range"`
	QOS             string    `hcl:"qos,optional"`
	QOSRange        hcl.Range `hcl:"qos,attr_value_range"`
	Constraint      string    `hcl:"constraint,optional"`
	ConstraintRange hcl.Range `hcl:"constraint,attr_value_range"`
	Options         []string  `hcl:"options,optional"`
	OptionsRange    hcl.Range `hcl:"options,attr_value_range"`
	Range           hcl.Range `hcl:",def_range"`
	Body            hcl.Body  `hcl:",body"`
}

type stepBlock struct {
	Kind        string    `hcl:"kind,label"`
	KindRange   hcl.Range `hcl:"kind,label_range"`
	CPUs        *int      `hcl:"cpus,optional"`
	CPUsRange   hcl.Range `hcl:"cpus,attr_value_range"`
	Memory      *string   `hcl:"memory,optional"`
	MemoryRange hcl.Range `hcl:"memory,attr_value_range"`
	Time        *string   `hcl:"time,optional"`
	TimeRange   hcl.Range `hcl:"time,attr_value_range"`
	Range       hcl.Range `hcl:",def_range"`
}

// xoBlock is the xo block of a kernel. Everything that depends on the platform
// stays an expression until the elaboration.
type xoBlock struct {
	With          *string   `hcl:"with,optional"`
	WithRange     hcl.Range `hcl:"with,attr_value_range"`
	Git           *string   `hcl:"git,optional"`
	GitRange      hcl.Range `hcl:"git,attr_value_range"`
	Revision      *string   `hcl:"revision,optional"`
	RevisionRange hcl.Range `hcl:"revision,attr_value_range"`
	Submodules    *bool     `hcl:"submodules,optional"`
	Tools         []string  `hcl:"tools,optional"` // that the command runs, by the names of the toolchain
	ToolsRange    hcl.Range `hcl:"tools,attr_value_range"`
	Versions      []string  `hcl:"versions,optional"` // of Vitis, that its authors have tried; empty if nothing is known
	VersionsRange hcl.Range `hcl:"versions,attr_value_range"`
	// Variable is an environment variable that names the directory which Path is relative to,
	// where that is not the directory of the description.
	Variable      *string   `hcl:"variable,optional"`
	VariableRange hcl.Range `hcl:"variable,attr_value_range"`
	Range         hcl.Range `hcl:",def_range"`
	Body          hcl.Body  `hcl:",body"`

	Path hcl.Expression `hcl:"path,optional"`
	// Command is a command line for bash, which runs in Directory below the repository's top and
	// leaves Produces.
	Directory hcl.Expression `hcl:"directory,optional"`
	Command   hcl.Expression `hcl:"command,optional"`
	Produces  hcl.Expression `hcl:"produces,optional"`
	// Repositories are directories of IP that the build leaves for the link (v++
	// --user_ip_repo_paths), and PostLink a Tcl file that runs in it.
	Repositories hcl.Expression `hcl:"repositories,optional"`
	PostLink     hcl.Expression `hcl:"post_link,optional"`
}
