package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// daemonVariable makes the program a process that a hanging tool leaves behind.
const daemonVariable = "CCLFORGE_STANDIN_DAEMON"

// known is what tools say before they end for a known cause. The texts are those of
// public logs.
var known = map[standin.Kind][]string{
	standin.BoardFile: {
		"ERROR: [Board 49-71] The board_part definition was not found for xilinx.com:vck190:part0:1.0. The project's " +
			"board_part property was not set, but the project's part property was set to xcvc1902-vsva2197-2MP-e-S. Valid " +
			"board_part values can be retrieved with the 'get_board_parts' Tcl command. Check if board.repoPaths parameter " +
			"is set and the board_part is installed from the tcl app store."},
	standin.Licence: {
		"ERROR: [Common 17-345] A valid license was not found for feature 'Synthesis' and/or device 'xcvc1902'. Please " +
			"run the Vivado License Manager for assistance in determining",
		"which features and devices are licensed for your system.",
		"Resolution: Check the status of your licenses in the Vivado License Manager. For debug help search Xilinx " +
			"Support for \"Licensing FAQ\"."},
	standin.Timing: {
		"ERROR: [VPL 101-2] design did not meet timing - Design did not meet timing. One or more unscalable system clocks " +
			"did not meet their required target frequency. For all system clocks, this design is using 0 nanoseconds as the " +
			"threshold worst negative slack (WNS) value. List of system clocks with timing failure:",
		"system clock: txoutclk_out[0]; slack: -0.024 ns",
		"ERROR: [VPL 60-773] In 'link/vivado/vpl/runme.log', caught Tcl error:  problem implementing dynamic region, " +
			"impl_1: route_design ERROR, please look at the run log file 'link/vivado/vpl/prj/prj.runs/impl_1/runme.log' for " +
			"more information"},
	standin.Overflow: {
		"ERROR: [VPL 30-1003] Placer failed with error: 'Could not place all instances'",
		"ERROR: [VPL 30-640] Place Check : This design requires more CLB LUTs as Logic cells than are available in Pblock " +
			"'pblock_dynamic_SLR1'. This design requires 412822 of such cell types but only 369120 compatible sites are " +
			"available in Pblock 'pblock_dynamic_SLR1'. Please consider increasing the span of Pblock 'pblock_dynamic_SLR1' " +
			"or removing cells from it.",
		"ERROR: [VPL 30-99] Placer failed with error: 'Implementation Feasibility check failed, Please see the previously " +
			"displayed individual error or warning messages for more details.'"},
	standin.Unconnected: {
		`ERROR: [CFGEN 83-2284] No stream resources found that can accomodate compute unit "poe_0.m_axis_udp_rx"`,
		"ERROR: [CFGEN 83-2298] Exiting due to previous error",
		"ERROR: [SYSTEM_LINK 82-36] [00:00:05] cfgen failed"},
	standin.WrongPort: {
		"ERROR: [CFGEN 83-2292] --sp tag applied to an invalid port or argument name: m_axi_gmem0",
		"ERROR: [CFGEN 83-2298] Exiting due to previous error",
		"ERROR: [SYSTEM_LINK 82-36] [00:00:05] cfgen failed"},
}

// fail does what the fault of this call, if there is one, asks for. A nil error
// lets the tool go on.
func (c *call) fail() error {
	if c.fault == nil {
		return nil
	}
	c.rec.Notes = append(c.rec.Notes, "fault: "+string(c.fault.Kind))
	switch c.fault.Kind {
	case standin.Garbage:
		c.garbage()
		return nil
	case standin.Missed:
		return nil // by link
	case standin.Slow:
		time.Sleep(c.fault.For)
		return nil
	case standin.Nothing:
		return exit{0}
	case standin.Empty:
		return c.partly(func([]byte) []byte { return nil }, exit{0})
	case standin.HalfExit0:
		return c.partly(half, exit{0})
	case standin.HalfKilled:
		return c.killed(c.partly(half, nil))
	case standin.OutOfMemory:
		return c.killed(nil)
	case standin.DiskFull:
		if err := c.partly(half, nil); err != nil {
			return err
		}
		c.say("ERROR: [Common 17-49] Internal Data Exception: write failed: No space left on device")
		return c.close()
	case standin.Segmentation:
		c.say("Abnormal program termination (11)")
		c.say("Please check 'hs_err_pid%d.log' for details", os.Getpid())
		return exit{139}
	case standin.Hang:
		return c.hang()
	}
	lines, ok := known[c.fault.Kind]
	if !ok {
		return fmt.Errorf("the stand-in does not know the fault %q", c.fault.Kind)
	}
	for _, line := range lines {
		c.say("%s", line)
	}
	return c.close()
}

// close is what the tools say after an error of a part of theirs.
func (c *call) close() error {
	switch c.Tool {
	case "v++":
		c.say("ERROR: [v++ 60-661] v++ link run 'run_link' failed")
		c.say("ERROR: [v++ 60-626] Kernel link failed to complete")
		c.say("ERROR: [v++ 60-703] Failed to finish linking")
		c.say("INFO: [v++ 60-1653] Closing dispatch client.")
	case "vivado":
		c.say("INFO: [Common 17-206] Exiting Vivado at %s...", stamp)
	}
	return exit{1}
}

func half(data []byte) []byte { return data[:len(data)/2] }

// partly leaves what is left of the outputs.
func (c *call) partly(change func([]byte) []byte, end error) error {
	for _, o := range c.files {
		if err := put(o.path, change(o.data)); err != nil {
			return err
		}
	}
	return end
}

func (c *call) killed(err error) error {
	if err != nil {
		return err
	}
	c.out.Flush()
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return err
	}
	select {}
}

// hang does not end, whatever it is asked, and neither does what it has started.
func (c *call) hang() error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), daemonVariable+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	c.say("INFO: [v++ 60-1657] Initializing dispatch client.")
	c.Record(standin.Entry{PID: child.Process.Pid, Time: time.Now(), Tool: "daemon", Dir: c.rec.Dir})
	time.Sleep(hangs)
	return exit{1}
}

// hangs is longer than any test waits, and ends in case nobody ends it.
const hangs = 10 * time.Minute

func daemon() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	time.Sleep(hangs)
	return 0
}

// garbage says what no tool should, and some do.
func (c *call) garbage() {
	c.say("%s", strings.Repeat("x", 300_000))
	c.say("\x00\x01\x02\xff\xfe\x1b[2J\x1b]0;title\x07 bytes that are no text")
	c.say("line that is written over\rERROR in the middle of nothing\rline at last")
	c.say("ERROR: [Common 17-69] Command failed: quoted by a tool that goes on\tand\vends well")
	c.out.WriteString("no newline at the end")
	c.out.Flush()
}
