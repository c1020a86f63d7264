// Package bringup_test brings up worlds of real processes, in network namespaces and on
// the loopback device, and ends, delays and misleads them at every step; and worlds of
// emulated cards.
package bringup_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
)

// role is what a process is to do beside what its variables say.
type role struct {
	Stop    []bringup.Step // wait there for a line on the standard input, "go"
	Hash    string
	Fail    string // why the engine cannot be configured
	Hold    bool   // wait for trouble before Ready
	Watch   bool   // wait for trouble after Ready
	Timeout time.Duration
	Silence time.Duration
}

const roleVariable = "CCLFORGE_TEST_ROLE"

// The processes of the tests are this program.
func TestMain(m *testing.M) {
	text, there := os.LookupEnv(roleVariable)
	if !there {
		os.Exit(m.Run())
	}
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		fmt.Println("end " + err.Error())
		os.Exit(2)
	}
	if err := r.play(); err != nil {
		fmt.Println("end " + err.Error())
		os.Exit(1)
	}
	fmt.Println("end up")
	os.Exit(0)
}

// play is a program as users write it. It says each step on its standard output, and
// how it has ended. "enough" on its standard input ends its patience.
func (r *role) play() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	proceed := make(chan struct{}, 16)
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			if lines.Text() == "go" {
				proceed <- struct{}{}
			} else {
				cancel(errors.New(lines.Text()))
			}
		}
	}()
	o, err := bringup.FromEnv(os.LookupEnv)
	if err != nil {
		return err
	}
	o.Timeout, o.Silence = r.Timeout, r.Silence
	o.Self = bringup.Member{
		Engine:   accl.Rank{IP: netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + o.Rank)}), Port: 5500},
		Platform: "u55c_tcp", Hash: r.Hash, Stack: "tcp", Generation: "accl-2024",
	}
	o.Progress = func(s bringup.Step) {
		fmt.Println("step " + string(s))
		if slices.Contains(r.Stop, s) {
			<-proceed
		}
	}
	w, err := bringup.Join(ctx, o)
	if err != nil {
		return err
	}
	defer w.Close()
	if n := len(w.Ranks()); n != o.Size {
		return fmt.Errorf("there are %d ranks", n)
	}
	if r.Hold {
		<-w.Left()
	}
	var mine error
	if r.Fail != "" {
		mine = errors.New(r.Fail)
	}
	if err := w.Ready(ctx, mine); err != nil {
		return err
	}
	if r.Watch {
		return <-w.Left()
	}
	return nil
}
