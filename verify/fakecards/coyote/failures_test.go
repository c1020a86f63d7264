package coyote_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// program is what a rank alone does on a card, with everything that the driver has:
// queue pairs, buffers of both kinds, whole and in part, calls.
func program(ctx context.Context, h *coyote.Host, p *accl.Platform, d *layout.Design) (err error) {
	c, err := driver.Open(ctx, d, driver.Options{System: h.Process()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	stack, err := network.Within(d, 0, c)
	if err != nil {
		return err
	}
	said, err := stack.Describe(ctx, h.Ranks(), 0)
	if err != nil {
		return err
	}
	ranks, err := stack.Setup(ctx, network.Config{Ranks: h.Ranks(), Said: [][]byte{said}})
	if err != nil {
		return err
	}
	if _, err := c.QueuePairs(ctx, 3); err != nil {
		return err
	}
	if _, err := c.Packets(ctx); err != nil {
		return err
	}
	dev, err := c.Engine(ctx, p, 0)
	if err != nil {
		return err
	}
	e, err := accl.Open(ctx, dev, p, ranks, 0, accl.GivenSessions())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close(ctx)) }()
	return ranktest.Combine(ctx, e, nil, []accl.AllocOption{accl.HostOnly()}, nil)
}

// TestFailures has each call that a program makes of the operating system and of the
// shell's driver fail, one after the other: the program ends with an error that says what
// failed, and gives everything back that is still taken.
func TestFailures(t *testing.T) {
	d, p, lies := rdma(t)
	run := func(t *testing.T, prepare func(*coyote.Host)) (*coyote.Host, error) {
		h := coyote.Start(t, d, 1, coyote.HostOptions{})
		prepare(h)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return h, program(ctx, h, &p, &lies)
	}
	h, err := run(t, func(*coyote.Host) {})
	assert.NilError(t, err)
	coyote.Returned(t, h)
	counts := map[string]int{}
	for _, call := range h.Calls() {
		counts[call.Function]++
	}
	says := map[string]string{
		"REGISTER_CTID": "register_thread", "UNREGISTER_CTID": "unregister_thread", "MAP_USER_MEM": "map_memory",
		"UNMAP_USER_MEM": "unmap_memory",
		"OFFLOAD_REQ":    "offload", "SYNC_REQ": "fetch", "SET_IP_ADDRESS": "set_ip", "SET_MAC_ADDRESS": "set_mac",
		"GET_IP_ADDRESS":  "get_ip",
		"GET_MAC_ADDRESS": "get_mac", "READ_SHELL_CONFIG": "configuration", "SHELL_NET_STATS": "network_statistics",
		"open": "open card 0", "flock": "lock /dev/coyote_fpga_0_v0", "mmap": "map the registers",
		"munmap":            "unmap registers of card 0",
		"mmap(MAP_HUGETLB)": "allocate", "munmap(pages)": "", "close": "close card 0",
	}
	for function, text := range says {
		assert.Check(t, counts[function] != 0, "%s was not tried", function)
		for _, nth := range ranktest.Some(counts[function]) {
			for name, answer := range map[string]struct {
				answer int
				errno  syscall.Errno
			}{"answer": {answer: 1}, "errno": {errno: syscall.EIO}} {
				if text == "" || strings.ToUpper(function) != function && answer.errno == 0 {
					continue // that has no answer
				}
				t.Run(fmt.Sprint(function, "/", nth, "/", name), func(t *testing.T) {
					h, err := run(t, func(h *coyote.Host) { h.Fail(function, nth, answer.answer, answer.errno) })
					failed := func(c coyote.Call) bool { return c.Err == syscall.EIO || c.Answer == 1 }
					if !slices.ContainsFunc(h.Calls(), failed) {
						t.Skip("it was not called so often")
					}
					assert.Check(t, err != nil && strings.Contains(err.Error(), text) && strings.Contains(err.Error(), "card 0"),
						"the error does not say what failed: %v", err)
					if known := says[function] != ""; known && strings.ToUpper(function) == function &&
						!errors.Is(err, driver.ErrRefused) {
						t.Errorf("it does not match ErrRefused: %v", err)
					}
					assert.Check(t, answer.errno == 0 || errors.Is(err, syscall.EIO), "it does not match EIO: %v", err)
					for _, held := range h.Leaks() {
						// What was not taken back remains, and that alone.
						left, ends := remains[function]
						assert.Check(t, ends && strings.Contains(held, left), "not given back: %s", held)
					}
				})
			}
		}
	}
}

// remains is what is left if a function fails by which the driver gives things back.
var remains = map[string]string{"UNREGISTER_CTID": "thread", "munmap": "window", "close": "the file"}
