package platform

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

const (
	maxJobs   = 1024
	maxCPUs   = 1024
	maxMemory = 16 << 20 // MiB
	maxTime   = 30 * 24 * time.Hour
)

// build reads how the platform is built. Without a block all is as usual.
func (b *loader) build() {
	in := buildBlock{Range: b.block.Range}
	if n := len(b.block.Build); n > 0 {
		in = b.block.Build[0]
		if n > 1 {
			b.errorf(b.block.Build[1].Range, "One block expected", "A platform has one build block; the first is on line %d.",
				in.Range.Start.Line)
		}
	}
	out := Build{
		Firmware: value(in.Firmware, FirmwareImage), Timing: value(in.Timing, TimingMust), Jobs: value(in.Jobs, 0),
		LinkOptions: in.LinkOptions, Range: in.Range,
	}
	b.diags = append(b.diags, oneOf(in.FirmwareRange, "firmware", out.Firmware,
		[]string{FirmwareImage, FirmwareKernel})...)
	b.diags = append(b.diags, oneOf(in.TimingRange, "timing", out.Timing, []string{TimingMust, TimingReport})...)
	if in.Jobs != nil {
		b.within(in.JobsRange, "The number of Vivado's threads", out.Jobs, 1, maxJobs)
	}
	b.linkOptions(in)
	out.Vivado = b.settings(in.Body, "vivado", in.Vivado, in.VivadoRange, []string{"prop.", "param.", "impl.", "synth."},
		"prop.run.impl_1.STRATEGY")
	out.Advanced = b.settings(in.Body, "advanced", in.Advanced, in.AdvancedRange, []string{"param.", "prop.", "misc."},
		"param.compiler.worstNegativeSlack")
	if b.p.HWEmu {
		out.Firmware = FirmwareKernel // there is no bit stream to put it into
	}
	b.instrument(in, &out)
	b.postLink(in, &out)
	b.slurm(in, &out)
	b.steps(in, &out)
	b.p.Build = out
}

// ownOptions are what the build itself passes to v++ --link.
var ownOptions = []string{
	"-c", "--compile", "-l", "--link", "-p", "--package", "-t", "--target", "-f", "--platform", "--config",
	"-s", "--save-temps",
	"--temp_dir", "--report_dir", "--log_dir", "-o", "--output", "-j", "--jobs", "--kernel_frequency",
}

func (b *loader) linkOptions(in buildBlock) {
	places := elementRanges(in.Body, "link_options")
	for i, option := range in.LinkOptions {
		rng := rangeAt(places, i, in.LinkOptionsRange)
		name, _, _ := strings.Cut(option, "=")
		switch {
		case option == "" || strings.ContainsAny(option, "\n\r\x00"):
			b.errorf(rng, "Option expected", "%q is no argument of v++; give one in each element, on one line.", option)
		case name == "-j" || name == "--jobs":
			b.errorf(rng, "Option taken", "The build passes %s itself; say jobs = … instead.", name)
		case slices.Contains(ownOptions, name):
			b.errorf(rng, "Option taken", "The build passes %s itself.", name)
		}
	}
}

// settings reads lines of a section of the link configuration.
func (b *loader) settings(body hcl.Body, section string, in map[string]string, all hcl.Range, prefixes []string,
	example string) []Setting {
	places := keyRanges(body, section)
	var out []Setting
	for _, name := range sortedKeys(in) {
		rng := orElse(places[name], all)
		switch {
		case !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) && len(name) > len(p) }):
			b.errorf(rng, "Unknown setting", "Settings of %s begin with %s, such as %q; %q does not.", section,
				strings.Join(prefixes, ", "), example, name)
		case strings.ContainsAny(name, " \t\r\n\x00=#[]"):
			b.errorf(rng, "Invalid name", "%q cannot name a setting of v++: it has a space, a line break, or one of = # [ ].",
				name)
		case strings.ContainsAny(in[name], "\r\n\x00"):
			b.errorf(rng, "Invalid value", "The value of %s has several lines; a setting of v++ has one.", name)
		case strings.HasPrefix(name, "param.compiler.userPostSysLink"):
			b.errorf(rng, "Setting taken", "The build sets %s itself; say post_link = [\"file.tcl\"] instead.", name)
		default:
			out = append(out, Setting{name, in[name], rng})
		}
	}
	return out
}

// Forms of what is watched: instances, kernels and ports, or all (UG1702,
// "--debug Options", "--profile Options").
var (
	watchedPart = `[A-Za-z][A-Za-z0-9_]*`
	portForm    = regexp.MustCompile(`^` + watchedPart + `(:` + watchedPart + `)?$`)
	dataForm    = regexp.MustCompile(`^` + watchedPart + `:` + watchedPart + `:` + watchedPart + `(:(counters|all))?$`)
	stallForm   = regexp.MustCompile(`^` + watchedPart + `:` + watchedPart + `(:(counters|all))?$`)
	memoryForm  = regexp.MustCompile(`^(all|` + watchedPart + `(\[[0-9]+(:[0-9]+)?\])?)$`)
)

// instrument reads what debug cores and profile monitors are put in.
func (b *loader) instrument(in buildBlock, out *Build) {
	collect := func(to *[]Setting, body hcl.Body, all hcl.Range, name string, values []string, form *regexp.Regexp,
		shape string) {
		places := elementRanges(body, name)
		for i, v := range values {
			if rng := rangeAt(places, i, all); form.MatchString(v) {
				*to = append(*to, Setting{name, v, rng})
			} else {
				b.errorf(rng, "Invalid value", "%s is written %s, not %q.", name, shape, v)
			}
		}
	}
	if d := in.Debug; d != nil {
		const port = `"instance" or "instance:port"`
		collect(&out.Debug, d.Body, d.Range, "chipscope", d.Chipscope, portForm, port)
		collect(&out.Debug, d.Body, d.Range, "protocol", d.Protocol, portForm, `"all", `+port)
	}
	if p := in.Profile; p != nil {
		const parts = `, each of them may be all, with :counters behind it or not`
		collect(&out.Profile, p.Body, p.Range, "data", p.Data, dataForm, `"kernel:instance:port"`+parts)
		collect(&out.Profile, p.Body, p.Range, "stall", p.Stall, stallForm, `"kernel:instance"`+parts)
		collect(&out.Profile, p.Body, p.Range, "exec", p.Exec, stallForm, `"kernel:instance"`+parts)
		collect(&out.Profile, p.Body, p.Range, "memory", p.Memory, memoryForm, `"all" or a memory such as "HBM[0]"`)
	}
}

func (b *loader) postLink(in buildBlock, out *Build) {
	files, diags := listedFiles(in.PostLink, elementRanges(in.Body, "post_link"), in.PostLinkRange,
		[]string{tclExtension}, "Tcl", b.lib.text)
	out.PostLink, b.diags = files, append(b.diags, diags...)
}

// word is what sbatch takes for a name without a doubt.
var word = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,:&|*()\[\]=+@/-]*$`)

func (b *loader) slurm(in buildBlock, out *Build) {
	for i, s := range in.Slurm {
		if i > 0 {
			b.errorf(s.Range, "One block expected", "A build has one slurm block; the first is on line %d.",
				in.Slurm[0].Range.Start.Line)
			return
		}
		check := func(name, value string, rng hcl.Range) {
			if rng.Filename != "" && value != "" && !word.MatchString(value) {
				b.errorf(rng, "Invalid name", "%q is no %s of Slurm: letters, digits and punctuation without spaces.", value, name)
			}
		}
		check("partition", s.Partition, s.PartitionRange)
		check("account", s.Account, s.AccountRange)
		check("qos", s.QOS, s.QOSRange)
		check("constraint", s.Constraint, s.ConstraintRange)
		places := elementRanges(s.Body, "options")
		for n, o := range s.Options {
			name, _, _ := strings.Cut(o, "=")
			switch rng := rangeAt(places, n, s.OptionsRange); {
			case !strings.HasPrefix(o, "--") || len(o) < 4 || strings.ContainsFunc(o, unicode.IsControl):
				b.errorf(rng, "Option expected",
					"%q is no option of sbatch; write for example \"--exclusive\" or \"--licenses=vivado:1\".", o)
			// sbatch also takes beginnings of names.
			case slices.ContainsFunc(ownSlurmOptions, func(own string) bool { return strings.HasPrefix(own, name) }):
				b.errorf(rng, "Option taken", "The build passes %s itself.", name)
			}
		}
		out.Slurm = Slurm{s.Partition, s.Account, s.QOS, s.Constraint, s.Options}
	}
}

// ownSlurmOptions are what the build itself passes to sbatch, and what would make sbatch do
// something else than is meant.
var ownSlurmOptions = []string{
	"--account", "--array", "--chdir", "--clusters", "--constraint", "--cpus-per-task", "--dependency", "--error",
	"--export", "--export-file", "--help", "--input", "--job-name", "--kill-on-invalid-dep", "--mem", "--no-requeue",
	"--nodes", "--ntasks", "--open-mode", "--output", "--parsable", "--partition", "--qos", "--quiet", "--requeue",
	"--test-only", "--time", "--usage", "--version", "--wait", "--wrap",
}

func (b *loader) steps(in buildBlock, out *Build) {
	out.Steps = maps.Clone(defaultResources)
	first := map[string]hcl.Range{}
	kinds := lang.Names(step.Kinds, func(k step.Kind) string { return string(k) })
	for _, s := range in.Steps {
		if d := oneOf(s.KindRange, "the kind of a step", s.Kind, kinds); d != nil {
			b.diags = append(b.diags, d...)
			continue
		}
		if prev, dup := first[s.Kind]; dup {
			b.diags = append(b.diags, duplicate(s.KindRange, "step", s.Kind, prev))
			continue
		}
		first[s.Kind] = s.Range
		r := out.Steps[step.Kind(s.Kind)]
		if s.CPUs != nil && b.within(s.CPUsRange, "The number of processors of a step", *s.CPUs, 1, maxCPUs) {
			r.CPUs = *s.CPUs
		}
		if s.Memory != nil {
			if m, err := ParseMemory(*s.Memory); err != nil {
				b.errorf(s.MemoryRange, "Invalid value", "memory: %s.", err)
			} else {
				r.Memory = m
			}
		}
		if s.Time != nil {
			if t, err := ParseTime(*s.Time); err != nil {
				b.errorf(s.TimeRange, "Invalid value", "time: %s.", err)
			} else {
				r.Time = t
			}
		}
		out.Steps[step.Kind(s.Kind)] = r
	}
}

var memoryText = regexp.MustCompile(`^([1-9][0-9]{0,8})([MGT])$`)

// ParseMemory reads an amount of memory, such as 64G, in MiB.
func ParseMemory(text string) (int, error) {
	m := memoryText.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is no amount of memory; write a whole number with M, G or T behind it, for example \"64G\"",
			text)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, err
	}
	n <<= map[string]int{"M": 0, "G": 10, "T": 20}[m[2]]
	if n > maxMemory {
		return 0, fmt.Errorf("%s is more than %dT", text, maxMemory>>20)
	}
	return n, nil
}

var timeText = regexp.MustCompile(`^(?:([1-9][0-9]{0,3})d)?(?:([1-9][0-9]{0,3})h)?(?:([1-9][0-9]{0,4})m)?$`)

// ParseTime reads a time limit, such as 12h or 1d12h30m.
func ParseTime(text string) (time.Duration, error) {
	m := timeText.FindStringSubmatch(text)
	if m == nil || text == "" {
		return 0, fmt.Errorf("%q is no time; write days, hours and minutes, for example \"12h\" or \"1d12h30m\"", text)
	}
	var total time.Duration
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		n, _ := strconv.Atoi("0" + m[i+1]) // digits
		total += time.Duration(n) * unit
	}
	if total > maxTime {
		return 0, fmt.Errorf("%s is more than %d days", text, maxTime/(24*time.Hour))
	}
	return total, nil
}

// rangeAt is where an element of a list stands, or the list if that is not known.
func rangeAt(places []hcl.Range, i int, all hcl.Range) hcl.Range {
	if i < len(places) {
		return places[i]
	}
	return all
}

func cutPrefix(s, prefix string) (string, bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	return rest, ok && rest != ""
}
