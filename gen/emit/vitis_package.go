package emit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	images "github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

const (
	packageScriptTemplate  = "vitis/package.tcl.tmpl"
	packageWrapperTemplate = "vitis/wrapper.v.tmpl"
	packageFolder          = "vitis/package/"

	firmwareFile   = "cclo_firmware.mem"
	firmwareFolder = "firmware/"
)

// PackageStep is how an RTL kernel becomes a .xo file: Script is run by Vivado.
type PackageStep struct {
	Kernel *design.Kernel
	Script string
	// Files are the paths of the rendered files that the script reads, itself
	// included.
	Files []string
	// XO is what it leaves, in the directory that all paths are relative to.
	XO string
}

// PackageSteps says how the RTL kernels of a platform are packaged. Platforms
// that are not linked by v++ have none. Errors match firmware.ErrNoImage where a
// kernel has firmware inside that nobody has built.
func PackageSteps(d *design.Design) ([]PackageStep, error) {
	if !linkedByVitis(d) {
		return nil, nil
	}
	sources, err := hardwareSources.of(d)
	if err != nil {
		return nil, err
	}
	var steps []PackageStep
	for _, k := range d.Kernels() {
		if k.Source != platform.SourceRTL {
			continue
		}
		step, err := packageStep(d, k, sources)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func packageStep(d *design.Design, k *design.Kernel, sources *sourceSet) (PackageStep, error) {
	step := PackageStep{Kernel: k, Script: packageFolder + k.ID + ".tcl", XO: k.Name + ".xo"}
	own, err := kernelSources(sources, k)
	if err != nil {
		return PackageStep{}, err
	}
	step.Files = append(own, packageFolder+k.ID+".v", "vitis/"+k.ID+".xml", step.Script)
	if holdsFirmware(own) {
		if _, err := FirmwareImage(d); err != nil {
			return PackageStep{}, fmt.Errorf("kernel %s: %w", k.ID, err)
		}
		step.Files = append(step.Files, FirmwareWords)
	}
	if ip := ipScript(d, own); ip != "" {
		step.Files = append(step.Files, ip)
	}
	slices.Sort(step.Files)
	return step, nil
}

func linkedByVitis(d *design.Design) bool { return d.Platform.POEs[0].Kind != "rdma" }

// FirmwareInKernel reports whether the image of the control firmware is a part of
// the engine's kernel, and a new image a new kernel. Platforms for hardware emulation,
// which has no later moment for it, say so. In other platforms it is replaced in the
// linked design if that has been made with another one.
func FirmwareInKernel(d *design.Design) bool {
	return d.Platform.Build.Firmware == platform.FirmwareKernel
}

// FirmwareWords is the file that a kernel is packaged with: the lines of FirmwareImage
// after the first one. Synthesis needs no address in front (UG901, "Specifying RAM
// Initial Contents in an External Data File").
const FirmwareWords = firmwareFolder + firmwareFile

// FirmwareFile is what the control processor's memory is initialized from.
func (hardwareView) FirmwareFile() string { return firmwareFile }

// holdsFirmware tells whether a kernel of these sources is packaged with firmware.
func holdsFirmware(sources []string) bool { return slices.Contains(sources, firmwareMemory) }

// FirmwareImage is the control firmware of a design in the format of a memory
// file: words of 32 bits in hexadecimal from address 0 on, for $readmemh and for
// updatemem (UG1580, "Memory Files"). Errors match firmware.ErrNoImage where the
// interface generation has none.
func FirmwareImage(d *design.Design) ([]byte, error) {
	image, err := images.Prebuilt(d.ABI().Name)
	if err != nil {
		return nil, err
	}
	return MemoryFile(image.Code), nil
}

// memoryStart says that a memory file begins at address 0.
const memoryStart = "@00000000\n"

// WordsOf makes FirmwareWords of what FirmwareImage has made.
func WordsOf(image []byte) []byte { return bytes.TrimPrefix(image, []byte(memoryStart)) }

// MemoryFile writes an image as FirmwareImage does.
func MemoryFile(image []byte) []byte {
	const word, digits = wordBits / 8, "0123456789ABCDEF"
	var text bytes.Buffer
	text.WriteString(memoryStart)
	for len(image) > 0 {
		var b [word]byte
		image = image[copy(b[:], image):]
		for _, c := range slices.Backward(b[:]) {
			text.WriteByte(digits[c>>4])
			text.WriteByte(digits[c&15])
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

// packageView is what the templates of a kernel's package know of it.
type packageView struct {
	Source, ID, Name, Doc string
	Part, Control         string
	Top                   string // the module that is the IP's top
	Sources               []string
	Firmware, IP          string // paths; "" for none
	Pins                  []kernelPin
	Buses                 []busView
	Registers             *addressBlock
	Numbered              bool           // instances are told their number
	Nets                  map[string]int // of the logic analyzer, and their bits
}

// busView is a bus interface of the IP.
type busView struct {
	Name, Kind, Mode string
	Pins             []busPin
	Parameters       []busParameter
	Port             *design.Port
}

type busPin struct{ Logical, Physical string }

type busParameter struct{ Name, Value string }

type addressBlock struct {
	Bus     string
	Range   uint64
	Control bool // the control register of kernels that are called
	List    []design.Argument
}

// Pointer is the memory port that a register points into; "" for none.
func (v packageView) Pointer(a design.Argument) string {
	if strings.HasSuffix(a.Type, "*") {
		return a.Port
	}
	return ""
}

// Memory tells whether the kernel is the master of the bus.
func (b busView) Memory() bool { return b.Port.Protocol == design.AXI4 }

// Range is the packed dimension of a pin.
func (p kernelPin) Range() string {
	if p.Width == 1 && !strings.HasSuffix(p.Suffix, "tkeep") {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", p.Width-1)
}

// Direction is that of a pin.
func (p kernelPin) Direction() string {
	if p.Output {
		return "output"
	}
	return "input"
}

func newPackageView(d *design.Design, k *design.Kernel, sources *sourceSet) (packageView, error) {
	v := packageView{
		Source: d.Platform.File, ID: k.ID, Name: k.Name, Doc: k.Doc, Part: d.Platform.Board.Part, Control: k.Control,
		Top: k.Name + "_ip", Numbered: toldNumber(d, k),
	}
	var err error
	if v.Sources, err = kernelSources(sources, k); err != nil {
		return v, err
	}
	if d.Platform.Build.Hang {
		v.Nets = k.Nets
	}
	v.IP = ipScript(d, v.Sources)
	if holdsFirmware(v.Sources) {
		v.Firmware = FirmwareWords
	}
	if v.Pins, err = kernelPins(sources, k); err != nil {
		return v, err
	}
	for _, p := range k.Ports {
		v.Buses = append(v.Buses, v.bus(p))
		if p.Protocol == design.AXILite && !p.Output {
			v.Registers = &addressBlock{
				Bus: p.Name, Range: p.Range, Control: k.Called(), List: k.Arguments,
			}
		}
	}
	return v, nil
}

func (v packageView) bus(p *design.Port) busView {
	b := busView{Name: p.Name, Kind: "aximm", Mode: "slave", Port: p}
	if p.Output {
		b.Mode = "master"
	}
	switch p.Protocol {
	case design.AXIS:
		b.Kind = "axis"
	case design.AXILite:
		b.Parameters = []busParameter{{"PROTOCOL", "AXI4LITE"}, {"DATA_WIDTH", fmt.Sprint(p.Width)}}
	case design.AXI4:
		// HAS_BURST = 0 says that bursts neither wrap nor stay at an address, whatever
		// pins there are (UG1393, "Packaging the RTL Code as a Vitis XO").
		b.Parameters = []busParameter{{"PROTOCOL", "AXI4"}, {"DATA_WIDTH", fmt.Sprint(p.Width)}, {"ADDR_WIDTH", "64"},
			{"HAS_BURST", "0"}, {"SUPPORTS_NARROW_BURST", "0"}}
		if s := p.Bursts; s != nil {
			b.Parameters = append(b.Parameters, busParameter{"MAX_BURST_LENGTH", fmt.Sprint(max(s.Read, s.Write))},
				busParameter{"NUM_READ_OUTSTANDING", fmt.Sprint(s.Outstanding)},
				busParameter{"NUM_WRITE_OUTSTANDING", fmt.Sprint(s.Outstanding)})
		}
	}
	for _, q := range v.Pins {
		if q.Port == p {
			b.Pins = append(b.Pins, busPin{strings.ToUpper(q.Suffix), q.Name})
		}
	}
	return b
}

// toldNumber tells whether the instances of a kernel are told their number: the
// members of a ring, by the script that puts the switch into its place.
func toldNumber(d *design.Design, k *design.Kernel) bool {
	return slices.ContainsFunc(ringOf(d), func(s *design.Stream) bool { return s.From.Instance.Kernel == k })
}

// packaging renders what Vivado reads to package the RTL kernels.
func packaging(d *design.Design) ([]File, error) {
	sources, err := hardwareSources.of(d)
	if err != nil {
		return nil, err
	}
	out := bundle{d: d}
	withFirmware := false
	for _, k := range d.Kernels() {
		if k.Source != platform.SourceRTL {
			continue
		}
		v, err := newPackageView(d, k, sources)
		if err != nil {
			return nil, err
		}
		withFirmware = withFirmware || v.Firmware != ""
		out.render(packageFolder+k.ID+".v", packageWrapperTemplate, v)
		out.render(packageFolder+k.ID+".tcl", packageScriptTemplate, v)
		if out.err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.ID, out.err)
		}
	}
	if withFirmware {
		image, err := FirmwareImage(d)
		if errors.Is(err, images.ErrNoImage) {
			return out.files, nil // the rest is of use; PackageSteps says what is missing
		}
		out.add(FirmwareWords, WordsOf(image), err)
	}
	return out.files, out.err
}

// ipScript is the Tcl with the procedure that makes the IP inside a kernel of these
// sources; "" if there is none.
func ipScript(d *design.Design, sources []string) string {
	if microBlaze(d) && slices.Contains(sources, firmwareMemory) {
		return processorScript
	}
	return ""
}

// IPProcedure makes the IP inside the kernel.
func (v packageView) IPProcedure() string { return processorModel }
