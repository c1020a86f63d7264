package xclbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	reader "github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// card is what the sample of the reader holds, which a C program has written with
// XRT's own header.
const card = "../../../driver/xrt/xclbin/testdata/card.xclbin"

var (
	cardIPs = []IP{
		{Type: "IP_KERNEL", Name: "ccl_offload:ccl_offload_0", Base: 0x1400000, Interrupt: 1, Enabled: true},
		{Type: "IP_KERNEL", Name: "hostctrl:hostctrl_0_0", Base: 0x1410000, Control: "AP_CTRL_CHAIN", Interrupt: 2},
		{Type: "IP_KERNEL", Name: "poe:poe_0", Base: 0x1420000, Control: "AP_CTRL_HS"},
		{Type: "IP_KERNEL", Name: "extdma:extdma_0_0", Base: NotUsed, Control: "AP_CTRL_NONE"},
		{Type: "IP_KERNEL", Name: "arith:arith_0", Base: NotUsed, Control: "AP_CTRL_NONE"},
		{Type: "IP_MEM_HBM", Name: "HBM_CTRL_0", Base: 0x1500000, Index: 3, Channel: 1},
	}
	cardBanks = []Bank{
		{"MEM_HBM", true, 0x80000, 0, "HBM[0]"},
		{"MEM_HBM", true, 0x80000, 0x20000000, "HBM[1]"},
		{"MEM_HBM", true, 0x80000, 0x40000000, "HBM[2]"},
		{"MEM_HBM", false, 0x80000, 0x60000000, "HBM[3]"},
		{"MEM_DRAM", false, 0x20000, 0x8000000000, "PLRAM[0]"},
		{"MEM_STREAMING_CONNECTION", true, 0, 0, "dc_0"},
		{"MEM_HOST", true, 0x1000000, 0x2000000000, "HOST[0]"},
	}
	cardConnections = []Connection{{2, 3, 1}, {2, 3, 0}, {1, 2, 2}, {0, 3, 5}, {1, 4, 5}, {3, 3, 6}}
)

func made(t testing.TB, ips []IP, banks []Bank, connections []Connection) *File {
	t.Helper()
	f := &File{UUID: "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf", Interface: "202122232425262728292a2b2c2d2e2f",
		Platform: "xilinx_u55c_gen3x16_xdma_base_3",
		Version:  "2.16.204", Created: time.Unix(1700000001, 0)}
	layout, err := IPLayout(ips)
	assert.NilError(t, err)
	topology, err := MemTopology(banks)
	assert.NilError(t, err)
	f.Set("MEM_TOPOLOGY", topology)
	f.Set("CONNECTIVITY", Connectivity(connections))
	f.Set("IP_LAYOUT", layout)
	return f
}

// TestAsC compares what is written with what C wrote: the header but for its length
// and the list's, and the tables.
func TestAsC(t *testing.T) {
	want, err := os.ReadFile(card)
	assert.NilError(t, err)
	f := made(t, cardIPs, cardBanks, cardConnections)
	got, err := f.Bytes()
	assert.NilError(t, err)
	for _, b := range [][]byte{got, want} {
		clear(b[304:312])
		clear(b[448:452])
	}
	assert.Check(t, bytes.Equal(got[:456], want[:456]), "the header is\n%x, want\n%x", got[:456], want[:456])
	groups, err := MemTopology(append(cardBanks[:7:7], Bank{"MEM_HBM", true, 0x100000, 0, "MBG[0]"}))
	assert.NilError(t, err)
	f.Set("GROUP_TOPOLOGY", groups)
	f.Set("GROUP_CONNECTIVITY", Connectivity(append(cardConnections[:6:6], Connection{2, 3, 7})))
	for _, s := range f.Sections {
		assert.Check(t, bytes.Contains(want, s.Data), "%s is\n%x, which C has not written", s.Kind, s.Data)
	}
}

func TestRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var ips []IP
		var wantIPs []reader.IP
		for i := range random.IntN(6) {
			control := random.IntN(len(controls))
			ip := IP{Type: "IP_KERNEL", Name: fmt.Sprintf("k:%s%d", strings.Repeat("n", random.IntN(60)), i),
				Base: random.Uint64(), Control: controls[control],
				Interrupt: uint8(random.IntN(128)), Enabled: random.IntN(2) == 0}
			properties := uint32(control)<<8 | uint32(ip.Interrupt)*2
			if ip.Enabled {
				properties |= 1
			}
			ips = append(ips, ip)
			wantIPs = append(wantIPs, reader.IP{Type: reader.KernelIP, Name: ip.Name, Base: ip.Base, Properties: properties})
		}
		var banks []Bank
		var wantBanks []reader.Bank
		for i := range random.IntN(6) {
			kind := random.IntN(len(memTypes))
			b := Bank{memTypes[kind], true, random.Uint64() >> 20, random.Uint64() >> 2, fmt.Sprintf("B[%d]", i)}
			banks = append(banks, b)
			w := reader.Bank{Type: reader.MemType(kind), Used: true, KiB: b.KiB, Base: b.Base, Tag: b.Tag}
			if w.Type.Stream() {
				w.KiB, w.Base = 0, 0
			}
			wantBanks = append(wantBanks, w)
		}
		var connections []Connection
		var wantConnections []reader.Connection
		if len(ips) > 0 && len(banks) > 0 {
			for range random.IntN(8) {
				c := Connection{random.Int32N(4), random.Int32N(int32(len(ips))), random.Int32N(int32(len(banks)))}
				connections = append(connections, c)
				wantConnections = append(wantConnections, reader.Connection{Arg: int(c.Arg), IP: int(c.IP), Bank: int(c.Bank)})
			}
		}
		f := made(t, ips, banks, connections)
		f.Set("USER_METADATA", make([]byte, random.IntN(20)))
		f.Mode = []Mode{Hardware, HardwareEmulation, SoftwareEmulation}[random.IntN(3)]
		b, err := f.Bytes()
		assert.NilError(t, err)
		x, err := reader.Read(bytes.NewReader(b), int64(len(b)))
		assert.NilError(t, err)
		if x.UUID != "b0b1b2b3-b4b5-b6b7-b8b9-babbbcbdbebf" || x.Interface != "20212223-2425-2627-2829-2a2b2c2d2e2f" ||
			x.Platform != f.Platform ||
			x.Version != f.Version || !x.Created.Equal(f.Created) || x.Mode.Emulation() != (f.Mode != Hardware) ||
			len(x.Sections) != len(f.Sections) {
			t.Fatalf("%+v is read as %+v", f, x)
		}
		for i, s := range f.Sections {
			got, err := io.ReadAll(io.NewSectionReader(bytes.NewReader(b), x.Sections[i].Offset, x.Sections[i].Size))
			if err != nil || !bytes.Equal(got, s.Data) || x.Sections[i].Kind.String() != s.Kind || x.Sections[i].Offset%8 != 0 {
				t.Fatalf("section %s is read as %+v", s.Kind, x.Sections[i])
			}
		}
		gotIPs, err1 := x.IPs()
		gotBanks, err2 := x.Banks()
		gotConnections, err3 := x.Connections()
		if err := errors.Join(err1, err2, err3); err != nil || !reflect.DeepEqual(gotIPs, wantIPs) ||
			!reflect.DeepEqual(gotBanks, wantBanks) ||
			!reflect.DeepEqual(gotConnections, wantConnections) {
			t.Fatalf("read as %+v, %+v, %+v (%v)\nwant %+v, %+v, %+v", gotIPs, gotBanks, gotConnections, err, wantIPs,
				wantBanks, wantConnections)
		}
		_, err = x.Layout()
		assert.NilError(t, err)
	}
}

func TestRefused(t *testing.T) {
	good := File{UUID: strings.Repeat("0a", 16), Version: "2.16.204"}
	for name, spoil := range map[string]func(f *File){
		"UUID":      func(f *File) { f.UUID = "0a" },
		"interface": func(f *File) { f.Interface = "xy" },
		"version":   func(f *File) { f.Version = "2.16" },
		"minor":     func(f *File) { f.Version = "2.256.1" },
		"platform":  func(f *File) { f.Platform = strings.Repeat("p", 64) },
		"section":   func(f *File) { f.Sections = []Section{{"BITS", nil}} },
	} {
		f := good
		spoil(&f)
		_, err := f.Bytes()
		assert.Check(t, errors.Is(err, ErrFile), "%s: %v", name, err)
	}
	for _, ip := range []IP{{Type: "IP"}, {Type: "IP_KERNEL", Control: "AP"}, {Type: "IP_KERNEL", Interrupt: 128},
		{Type: "IP_KERNEL", Name: strings.Repeat("n", 64)}} {
		_, err := IPLayout([]IP{ip})
		assert.Check(t, errors.Is(err, ErrFile), "%+v: %v", ip, err)
	}
	for _, b := range []Bank{{Type: "MEM"}, {Type: "MEM_HBM", Tag: strings.Repeat("t", 16)}} {
		_, err := MemTopology([]Bank{b})
		assert.Check(t, errors.Is(err, ErrFile), "%+v: %v", b, err)
	}
	assert.Check(t, is.Equal(binary.LittleEndian.Uint32(Connectivity(nil)), uint32(0)), "an empty table has entries")
}
