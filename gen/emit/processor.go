package emit

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

// A platform may run the control firmware on the vendor's MicroBlaze V. Its kernel
// then has a folder more and the files of our own core less; simulations have
// these, behind the buses of the vendor's core.
const (
	coreFolder       = "rtl/ccl_offload/cpu"
	processorFile    = coreFolder + "/control_processor.sv"
	corePrefix       = "rv32_"
	firmwareMemory   = coreFolder + "/rv32_ram.sv" // for either processor
	processorModel   = "cclo_microblaze_v"
	processorScript  = "vitis/microblaze_v.tcl"
	processorTCL     = processorScript + templateSuffix
	processorVectors = 0xFFFF_FF80 // C_BASE_VECTORS: 128-byte aligned (UG1711, "Vectors"), and no memory of ours
)

func microBlaze(d *design.Design) bool {
	return d.Platform.CCLO.Processor == platform.ProcessorMicroBlazeV
}

// ownCore tells whether a file of RTL belongs to our own core.
func ownCore(name string) bool {
	return strings.HasPrefix(name, coreFolder+"/"+corePrefix) && name != firmwareMemory
}

// leftOut tells whether a file has no place in the kernels of a design, because
// the vendor's processor is there.
func leftOut(d *design.Design, name string) bool {
	return microBlaze(d) && (ownCore(name) || name == processorFile)
}

// BaseVectors is where MicroBlaze V begins, in hexadecimal.
func (hardwareView) BaseVectors() string { return fmt.Sprintf("%08X", processorVectors) }

// simulatedCore is the core that stands in for the vendor's in simulations.
func simulatedCore() ([]File, error) {
	entries, err := fs.ReadDir(templates.FS, coreFolder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		name := path.Join(coreFolder, e.Name())
		if !ownCore(name) {
			continue
		}
		f, err := copied(name)
		if err != nil {
			return nil, err
		}
		f.Path = path.Join(modelFolder, e.Name())
		files = append(files, f)
	}
	return files, nil
}

// processor renders what the vendor's tools make its processor of.
func processor(d *design.Design) ([]File, error) {
	if !microBlaze(d) {
		return nil, nil
	}
	out := bundle{d: d}
	out.render(processorScript, processorTCL, struct{ Source, Module, BaseVectors string }{
		d.Platform.File, processorModel, hardwareView{}.BaseVectors(),
	})
	return out.files, out.err
}
