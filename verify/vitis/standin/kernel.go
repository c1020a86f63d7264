package standin

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/gen/design"
)

// KernelXML describes a kernel of a third party as its own build would, from its ports
// in a design. Streams for which open holds may lead nowhere.
func KernelXML(k *design.Kernel, open func(port string) bool) ([]byte, error) {
	x := &Kernel{Name: k.Name, VLNV: "standin:kernel:" + k.Name + ":1.0", Language: "ip_c", Control: k.Control}
	for _, p := range k.Ports {
		port := Port{Name: p.Name, Width: p.Width}
		switch {
		case p.Protocol == design.AXIS:
			port.Type, port.Mode, port.Open = "stream", "read_only", open(p.Name)
			if p.Output {
				port.Mode = "write_only"
			}
			x.Args = append(x.Args, Argument{Name: p.Name, Qualifier: 4, Port: p.Name, Offset: "0x0",
				ID: fmt.Sprint(len(x.Args))})
		case p.Output:
			port.Type, port.Mode, port.Range = "addressable", "master", "0xFFFFFFFFFFFFFFFF"
		default:
			port.Type, port.Mode, port.Range = "addressable", "slave", fmt.Sprintf("0x%X", p.Range)
		}
		x.Ports = append(x.Ports, port)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name `xml:"root"`
		Kernel  *Kernel  `xml:"kernel"`
	}{Kernel: x}, "", "  ")
	return text, err
}

// WriteXO writes a kernel file.
func WriteXO(path string, kernelXML []byte) error {
	text, err := ArchiveXO(kernelXML, map[string][]byte{"component.xml": []byte("<component/>\n")})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
