package platform

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Shell is somebody else's design that a platform is built into, instead of being
// linked by v++: what a kernel says that is a part of it, and what the platform
// changes.
type Shell struct {
	Name       string // "coyote"
	Git        string // URL
	Revision   string // name of a commit: 7 to 40 hexadecimal digits
	Submodules bool
	// Kernel is the kernel that is a part of it.
	Kernel string
	// Streams are how many streams of each kind an application may have at most.
	Streams int
	// Modules are names of modules that applications must not have.
	Modules []string
	// Computed are options that follow from the design, and Known those that a
	// platform may set.
	Computed, Known []string
	// Options are the options that are set, by name: a platform's come before those
	// of the kernel.
	Options []Setting
	// Driver is what the host's driver of the shell shows programs; nil if nobody knows.
	Driver *ShellDriver
	Range  hcl.Range // of the platform's block, or the kernel's
}

type shellBlock struct {
	Name          string            `hcl:"name,label"`
	NameRange     hcl.Range         `hcl:"name,label_range"`
	Git           string            `hcl:"git,optional"`
	GitRange      hcl.Range         `hcl:"git,attr_value_range"`
	Revision      string            `hcl:"revision,optional"`
	RevisionRange hcl.Range         `hcl:"revision,attr_value_range"`
	Submodules    *bool             `hcl:"submodules,optional"`
	Streams       *int              `hcl:"streams,optional"`
	StreamsRange  hcl.Range         `hcl:"streams,attr_value_range"`
	Modules       []string          `hcl:"modules,optional"`
	Computed      []string          `hcl:"computed,optional"`
	Known         []string          `hcl:"known,optional"`
	Options       map[string]string `hcl:"options,optional"`
	OptionsRange  hcl.Range         `hcl:"options,attr_value_range"`
	Drivers       []driverBlock     `hcl:"driver,block"`
	Range         hcl.Range         `hcl:",def_range"`
	Body          hcl.Body          `hcl:",body"`
}

const maxShellStreams = 16 // numbers of streams have four bits

// shell reads the shell that a kernel is a part of, if it is of one.
func (b kernelBlock) shell(k *Kernel) hcl.Diagnostics {
	if len(b.Shells) == 0 {
		return nil
	}
	in := b.Shells[0]
	if len(b.Shells) > 1 {
		return hcl.Diagnostics{lang.Errorf(b.Shells[1].Range, "One block expected",
			"A kernel has one shell block; the first is on line %d.", in.Range.Start.Line)}
	}
	s := &Shell{
		Name: in.Name, Git: in.Git, Revision: in.Revision, Submodules: value(in.Submodules, false), Kernel: k.ID,
		Streams: value(in.Streams, 1), Modules: in.Modules, Computed: in.Computed, Known: in.Known, Range: in.Range,
	}
	k.Shell = s
	var diags hcl.Diagnostics
	for _, argument := range [][2]string{{"git", in.Git}, {"revision", in.Revision}} {
		if name, value := argument[0], argument[1]; value == "" {
			diags = append(diags, lang.Errorf(in.Range, "Missing required argument",
				"The argument %q is required in the shell of a kernel.", name))
		}
	}
	if s.Streams < 1 || s.Streams > maxShellStreams {
		diags = append(diags, lang.Errorf(orElse(in.StreamsRange, in.Range), "Value out of range",
			"A shell has 1 to %d streams; %d is not.", maxShellStreams, s.Streams))
	}
	diags = append(diags, in.driver(s)...)
	return append(diags, s.take(in)...)
}

// take checks what a block says, and changes the shell by it.
func (s *Shell) take(in shellBlock) hcl.Diagnostics {
	var diags hcl.Diagnostics
	errorf := func(rng hcl.Range, summary, format string, args ...any) {
		diags = append(diags, lang.Errorf(orElse(rng, in.Range), summary, format, args...))
	}
	if in.Git != "" {
		if strings.HasPrefix(in.Git, "-") || strings.ContainsAny(in.Git, " \t\r\n\x00") {
			errorf(in.GitRange, "Repository expected",
				"%q is no address of a git repository; write for example \"https://example.org/shell.git\".", in.Git)
		}
		s.Git = in.Git
	}
	if in.Revision != "" {
		if !revisionForm.MatchString(in.Revision) {
			diags = append(diags, inexactRevision(orElse(in.RevisionRange, in.Range), in.Revision))
		}
		s.Revision = in.Revision
	}
	places := keyRanges(in.Body, "options")
	options := slices.Clone(s.Options)
	for _, name := range sortedKeys(in.Options) {
		rng := orElse(places[name], in.OptionsRange)
		switch {
		case slices.Contains(s.Computed, name):
			errorf(rng, "Option taken", "%s follows from the design.", name)
		case !slices.Contains(s.Known, name):
			errorf(rng, "Unknown option", "The shell %q has no option %q that a platform may set. %s", s.Name, name,
				lang.Choices(name, s.Known))
		case in.Options[name] == "" || strings.ContainsAny(in.Options[name], "\r\n\x00;\"$\\"):
			errorf(rng, "Invalid value",
				"%q is no value of an option of CMake: text on one line, without quotes, semicolons, dollar signs and backslashes.",
				in.Options[name])
		default:
			options = slices.DeleteFunc(options, func(o Setting) bool { return o.Name == name })
			options = append(options, Setting{name, in.Options[name], rng})
		}
	}
	slices.SortFunc(options, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	s.Options = options
	return diags
}

// shell reads what the platform changes of a shell.
func (b *loader) shell() {
	if len(b.block.Shells) == 0 {
		return
	}
	in := b.block.Shells[0]
	if len(b.block.Shells) > 1 {
		b.errorf(b.block.Shells[1].Range, "One block expected", "A platform has one shell block; the first is on line %d.",
			in.Range.Start.Line)
	}
	known := map[string]*Shell{}
	for _, id := range sortedKeys(b.lib.Kernels) {
		if s := b.lib.Kernels[id].Shell; s != nil && known[s.Name] == nil {
			known[s.Name] = s
		}
	}
	base := known[in.Name]
	if base == nil {
		b.errorf(in.NameRange, "Unknown shell", "No kernel is part of a shell %q. %s", in.Name,
			lang.Choices(in.Name, sortedKeys(known)))
		return
	}
	refuse := func(name string, given bool) {
		if given {
			b.errorf(in.Range, "Argument without meaning",
				"What the shell is like is said by its kernel; a platform chooses git, revision and options, and not %s.", name)
		}
	}
	refuse("submodules", in.Submodules != nil)
	refuse("streams", in.Streams != nil)
	refuse("modules", in.Modules != nil)
	refuse("computed", in.Computed != nil)
	refuse("known", in.Known != nil)
	refuse("driver", len(in.Drivers) > 0)
	own := *base
	own.Range = in.Range
	b.diags = append(b.diags, own.take(in)...)
	b.p.Shell = &own
}

// Device is the shell's name for a board; false if it does not know it.
func (s *Shell) Device(board *Board) (string, bool) {
	name, ok := board.KnownAs[s.Kernel]
	return name, ok
}
