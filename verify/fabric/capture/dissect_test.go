package capture_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/capture"
	"github.com/cclforge/cclforge/verify/world"
)

// sent is a message that a port has taken.
type sent struct {
	from, to        int
	header, payload []byte
}

// row is what Wireshark should show of it: sender, port of the receiver, the fields of the header,
// the payload.
func (s *sent) row(l *abi.Layout) []string {
	row := []string{fmt.Sprint(s.from), fmt.Sprint(5500 + s.to)}
	for _, f := range l.Fields {
		v := new(big.Int)
		for bit := f.High; bit >= f.Low; bit-- {
			v.Lsh(v, 1).Or(v, big.NewInt(int64(s.header[bit/8]>>(bit%8)&1)))
		}
		row = append(row, v.String())
	}
	return append(row, hex.EncodeToString(s.payload))
}

// recorder is a port below a capture, which notes what it takes.
type recorder struct {
	fabric.Port
	rank  int
	mu    *sync.Mutex
	taken *[]sent
}

func (r *recorder) Send(session uint32, p *fabric.Packet) error {
	m := sent{r.rank, int(session), bytes.Clone(p.Header[:]), bytes.Clone(p.Payload)}
	err := r.Port.Send(session, p)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		*r.taken = append(*r.taken, m)
	}
	return err
}

// sink is a port that takes everything.
type sink struct{ fabric.Port }

func (sink) Send(uint32, *fabric.Packet) error { return nil }

// mix writes a file of messages as a stack may cut them: several in a segment, and any parts.
func mix(t *testing.T, file string, messages []sent) {
	t.Helper()
	write(t, file, fabric.TCP, 5500, func(ports []fabric.Port) {
		r, waiting, gone := rand.New(rand.NewPCG(3, 4)), map[[2]int][]byte{}, map[[2]int]int{}
		send := func(way [2]int, n int) {
			if left := math.MaxUint16 - gone[way]; left > 0 {
				n = min(n, left) // a frame ends where a window that is not scaled would
			}
			p := &fabric.Packet{Payload: waiting[way][:n], Segment: true}
			assert.NilError(t, ports[way[0]].Send(uint32(way[1]), p))
			waiting[way], gone[way] = waiting[way][n:], gone[way]+n
		}
		for _, m := range messages {
			way := [2]int{m.from, m.to}
			waiting[way] = slices.Concat(waiting[way], m.header, m.payload)
			if n := 1 + r.IntN(3000); n < len(waiting[way]) {
				send(way, n)
			}
		}
		for way := range waiting {
			for len(waiting[way]) > 0 {
				send(way, len(waiting[way]))
			}
		}
	})
}

// write writes a file of what three ranks send, whose ports begin at one.
func write(t *testing.T, file string, kind fabric.Kind, first uint16, send func(ports []fabric.Port)) {
	t.Helper()
	out, err := os.Create(file)
	assert.NilError(t, err)
	ranks := accl.LocalRanks(3)
	for i := range ranks {
		ranks[i].Port = first + uint16(i)
	}
	c, err := capture.New(out, kind, ranks, func() int64 { return time.Now().UnixNano() })
	assert.NilError(t, err)
	var ports []fabric.Port
	for i := range ranks {
		ports = append(ports, c.Port(i, sink{}))
	}
	send(ports)
	assert.NilError(t, c.Close())
	assert.NilError(t, out.Close())
}

// captured runs all operations on ranks of a platform, into a file; it returns what was sent.
func captured(t *testing.T, d *design.Design, file string) []sent {
	t.Helper()
	const ranks = 3
	out, err := os.Create(file)
	assert.NilError(t, err)
	defer out.Close()
	kind, err := world.Network(d)
	assert.NilError(t, err)
	c, err := capture.New(out, kind, accl.LocalRanks(ranks), func() int64 { return time.Now().UnixNano() })
	assert.NilError(t, err)
	r := recorder{mu: new(sync.Mutex), taken: new([]sent)}
	w, err := world.New(t.Context(), d, ranks, world.Options{Port: func(rank int, p fabric.Port) fabric.Port {
		mine := r
		mine.Port, mine.rank = p, rank
		return c.Port(rank, &mine)
	}})
	assert.NilError(t, err)
	defer w.Close()
	p := driverview.Of(d)
	selftest.SmallLimits(&p)
	engines, err := accl.OpenAll(t.Context(), w.Devices(), &p, w.Ranks())
	assert.NilError(t, err)
	for _, one := range selftest.List(&p, ranks, selftest.Options{}) {
		if one.Count*one.ElementBytes(&p) <= 6<<10 {
			assert.NilError(t, one.Run(t.Context(), engines), "%v", one)
		}
	}
	for _, e := range engines {
		assert.NilError(t, e.Close(context.Background()))
	}
	assert.NilError(t, w.Close())
	assert.NilError(t, c.Close())
	return *r.taken
}

// tshark runs Wireshark's command on a file, with the dissector of a design.
func tshark(t *testing.T, script, file string, args ...string) string {
	t.Helper()
	args = append([]string{"-X", "lua_script:" + script, "-r", file, "-o", "tcp.check_checksum:TRUE", "-o",
		"udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"}, args...)
	command := exec.CommandContext(t.Context(), "tshark", args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir()) // no profile of whoever runs the test
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	assert.NilError(t, err, "%s", &complaints)
	assert.Check(t, !strings.Contains(complaints.String(), "Lua"), "%s", &complaints)
	return string(out)
}

func writeDissector(t *testing.T, d *design.Design) string {
	t.Helper()
	files, err := emit.Platform(d)
	assert.NilError(t, err)
	i := slices.IndexFunc(files, func(f emit.File) bool { return f.Path == "docs/ccl.lua" })
	assert.Assert(t, i >= 0, "no dissector")
	script := filepath.Join(t.TempDir(), "ccl.lua")
	assert.NilError(t, os.WriteFile(script, files[i].Content, 0o644))
	return script
}

// Wireshark finds every message that ports took, with the value of each field, and nothing else.
func TestWiresharkReadsAllMessages(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark")
	}
	for _, test := range []struct {
		platform string
		mixed    bool // messages are cut anywhere
	}{
		{"u55c_tcp", true}, {"u55c_udp", false}, {"u280_2022", false}, {"u280_manual", true},
	} {
		t.Run(test.platform, func(t *testing.T) {
			t.Parallel()
			d := designtest.Load(t, test.platform, nil)
			script, file := writeDissector(t, d), filepath.Join(t.TempDir(), "ranks.pcapng")
			want := captured(t, d, file)
			if test.mixed {
				mix(t, file, want)
			}
			layout := d.ABI().Layout(abi.MessageHeader)
			columns := []string{"frame.interface_id", "_ws.expert.message", "tcp.dstport", "udp.dstport"}
			for _, f := range layout.Fields {
				columns = append(columns, "ccl."+f.Name)
			}
			args := []string{"-T", "fields", "-Y", "ccl || (_ws.expert && !tcp.flags.syn) || udp || " +
				"(tcp.len > 0 && !tcp.segment_data)"}
			for _, c := range append(columns, "ccl.length", "ccl.payload") {
				args = append(args, "-e", c)
			}
			var got, rowsSent [][]string
			for _, m := range want {
				rowsSent = append(rowsSent, m.row(layout))
			}
			for line := range strings.Lines(tshark(t, script, file, args...)) {
				got = append(got, rows(t, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))...)
			}
			same(t, got, rowsSent)
		})
	}
}

// rows are the messages of a frame: its interface, what Wireshark does not like, two ports of which
// it has one, and for each column as many values as messages, but payloads only where there are any.
func rows(t *testing.T, columns []string) [][]string {
	t.Helper()
	last := len(columns) - 1
	assert.Assert(t, columns[1] == "" && columns[last-1] != "", "in a frame with messages: %.300q", columns)
	lengths, payloads := strings.Split(columns[last-1], ","), strings.Split(columns[last], ",")
	var out [][]string
	for i, length := range lengths {
		m := []string{columns[0], columns[2] + columns[3]}
		for _, c := range columns[4 : last-1] {
			values := strings.Split(c, ",")
			assert.Assert(t, is.Len(values, len(lengths)))
			v, ok := new(big.Int).SetString(values[i], 0)
			assert.Assert(t, ok, "%q", values[i])
			m = append(m, v.String())
		}
		payload := ""
		if length != "64" {
			payload, payloads = payloads[0], payloads[1:]
		}
		out = append(out, append(m, payload))
	}
	return out
}

// same compares messages by their way, in order.
func same(t *testing.T, got, want [][]string) {
	t.Helper()
	ways := func(list [][]string) map[string][]string {
		out := map[string][]string{}
		for _, m := range list {
			way := m[0] + " to " + m[1]
			out[way] = append(out[way], strings.Join(m, " "))
		}
		return out
	}
	g, w := ways(got), ways(want)
	assert.Check(t, is.Equal(len(g), len(w)))
	for way, messages := range w {
		assert.Check(t, is.Equal(len(g[way]), len(messages)), "messages from %s", way)
		for i, m := range messages[:min(len(messages), len(g[way]))] {
			if g[way][i] != m {
				t.Errorf("message %d from %s is\n%.300s\nin Wireshark, and was\n%.300s", i, way, g[way][i], m)
				break
			}
		}
	}
}

// What is no message is said to be none, on ports that the dissector has to recognize itself.
func TestWiresharkSaysWhatIsNoMessage(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark")
	}
	d := designtest.Load(t, "u55c_tcp", nil)
	script := writeDissector(t, d)
	good := func() *fabric.Packet {
		p := &fabric.Packet{Payload: bytes.Repeat([]byte{0xA5}, 100)}
		p.Header[0] = byte(len(p.Payload))
		return p
	}
	change := func(f func(p *fabric.Packet)) *fabric.Packet {
		p := good()
		f(p)
		return p
	}
	bad := []*fabric.Packet{
		change(func(p *fabric.Packet) { p.Payload = p.Payload[1:] }),         // a byte is lost
		change(func(p *fabric.Packet) { p.Payload = make([]byte, 164) }),     // more than the last beat
		change(func(p *fabric.Packet) { p.Header[63] = 1 }),                  // no field
		change(func(p *fabric.Packet) { p.Header[22] = 9 }),                  // no type of messages
		change(func(p *fabric.Packet) { p.Header[48], p.Header[49] = 2, 2 }), // no flags
	}
	for _, kind := range []fabric.Kind{fabric.UDP, fabric.TCP} {
		file := filepath.Join(t.TempDir(), kind.String()+".pcapng")
		write(t, file, kind, 7000, func(ports []fabric.Port) {
			for _, p := range slices.Concat([]*fabric.Packet{good()}, bad, []*fabric.Packet{good()}) {
				assert.NilError(t, ports[0].Send(1, p))
			}
		})
		found := strings.Split(strings.TrimSpace(tshark(t, script, file, "-T", "fields", "-Y", "ccl", "-e", "ccl.bad",
			"-e", "_ws.col.Info")), "\n")
		first, last := strings.TrimSpace(found[0]), strings.TrimSpace(found[len(found)-1])
		assert.Check(t, is.Equal(first, "eager 0→0 seq 0, 100 bytes"))
		assert.Check(t, is.Equal(last, first))
		marked := 0
		for _, line := range found {
			if strings.HasPrefix(line, "1") {
				marked++
			}
		}
		// On TCP, headers are found in what is too much, until there is one that is none.
		want := map[fabric.Kind]int{fabric.UDP: len(bad), fabric.TCP: 3}[kind]
		assert.Check(t, is.Equal(marked, want), "%q", found)
	}
}
