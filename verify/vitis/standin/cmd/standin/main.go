// Command standin acts as one of the vendor's tools, the one that it is called as: it
// checks arguments and inputs, says what the vendor's tool would say, and writes
// outputs that look alike.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// call is one run of a tool.
type call struct {
	*standin.Site
	Tool  string
	Args  []string
	out   *bufio.Writer
	log   *os.File // copy of what it says, as the tools keep one
	fault *standin.Fault
	rec   standin.Entry
	files []output
}

// output is a file that the tool is going to leave: none before the end, as with the
// tools.
type output struct {
	path string
	data []byte
}

type exit struct{ status int }

func (e exit) Error() string { return fmt.Sprintf("exit status %d", e.status) }

var tools = map[string]func(*call) error{
	"v++": vpp, "vitis_hls": vitisHLS, "vivado": vivado, "xclbinutil": xclbinutil,
	"updatemem":    updatemem,
	"emconfigutil": emconfigutil, "xbutil": xbutil, "xrt-smi": xbutil, "git": git,
	"make": builder, "cmake": cmake,
}

// watched is what of the environment is worth a place in the log.
var watched = []string{"PATH", "XILINX_VITIS", "XILINX_VIVADO", "XILINX_XRT", "XILINX_HLS", "PLATFORM_REPO_PATHS",
	"XILINXD_LICENSE_FILE", "LM_LICENSE_FILE", "SLURM_JOB_ID"}

func main() { os.Exit(act(os.Args)) }

// act runs the tool that the program was called as, and returns its exit status.
func act(args []string) int {
	if os.Getenv(daemonVariable) != "" {
		return daemon()
	}
	name := filepath.Base(args[0])
	run, ok := tools[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "the stand-in does not know how to be %q\n", name)
		return 125
	}
	s, err := standin.FindSite(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	c := &call{Site: s, Tool: name, Args: args[1:], out: bufio.NewWriterSize(os.Stdout, 64<<10)}
	c.rec = standin.Entry{PID: os.Getpid(), Time: time.Now(), Tool: name, Args: c.Args, Dir: dir, Env: map[string]string{}}
	for _, v := range watched {
		if value, ok := os.LookupEnv(v); ok {
			c.rec.Env[v] = value
		}
	}
	if err := s.Record(c.rec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	c.rec.Inputs, c.rec.Outputs = map[string]string{}, map[string]string{}
	if c.fault, err = s.Fault(name, dir, c.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	err = run(c)
	if err == nil {
		err = c.leave()
	}
	return c.end(err)
}

// end says what went wrong, writes the end of the call into the log, and gives the
// status.
func (c *call) end(err error) int {
	status := 0
	var e exit
	switch {
	case errors.As(err, &e):
		status = e.status
	case err != nil:
		c.say("ERROR: %v", err)
		status = 1
	}
	c.out.Flush()
	if c.log != nil {
		c.log.Close()
	}
	c.rec.Args, c.rec.Env = nil, nil
	c.rec.Time, c.rec.Exit = time.Now(), &status
	if err := c.Record(c.rec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	return status
}

// say writes a line to the terminal and to the tool's own log.
func (c *call) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...) + "\n"
	c.out.WriteString(line)
	c.out.Flush()
	if c.log != nil {
		io.WriteString(c.log, line)
	}
}

// keepLog has all that is said written to a file as well.
func (c *call) keepLog(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	c.log = f
	return err
}

// clock is the time as the tools put it before lines.
func clock() string { return time.Now().Format("15:04:05") }

// stage takes the time of a stage.
func (c *call) stage() {
	if c.Pace > 0 {
		time.Sleep(c.Pace)
	}
}

// input hashes a file that the tool reads, and returns its content.
func (c *call) input(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c.rec.Inputs[path] = sum(text)
	return text, nil
}

func sum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// inputs is the sum of all inputs and what goes with them.
func (c *call) inputs(more ...string) string {
	parts := [][]byte{[]byte(c.Version), []byte(strings.Join(more, "\n"))}
	for _, name := range sorted(c.rec.Inputs) {
		parts = append(parts, []byte(name), []byte(c.rec.Inputs[name]))
	}
	return sum(parts...)
}

// write plans a file.
func (c *call) write(path string, data []byte) { c.files = append(c.files, output{path, data}) }

func (c *call) writeText(path, format string, args ...any) {
	c.write(path, fmt.Appendf(nil, format, args...))
}

// leave writes the planned files, or what a fault makes of them.
func (c *call) leave() error {
	if err := c.fail(); err != nil {
		return err
	}
	for _, o := range c.files {
		if err := put(o.path, o.data); err != nil {
			return err
		}
		c.rec.Outputs[o.path] = sum(o.data)
	}
	return nil
}

func put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

// refuse says what the tool says, and ends it.
func (c *call) refuse(format string, args ...any) error {
	c.say("ERROR: "+format, args...)
	return exit{1}
}
