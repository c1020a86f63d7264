package bringup_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/verify/server/host"
)

// without are the actors other than one.
func without(all []*actor, victim int) []*actor {
	return slices.Delete(slices.Clone(all), victim, victim+1)
}

// all starts a process for each rank, each with its own role or the common one.
func (s *stage) all(t *testing.T, common role, own map[int]role) []*actor {
	t.Helper()
	var actors []*actor
	for rank := range size {
		r, there := own[rank]
		if !there {
			r = common
		}
		actors = append(actors, s.start(t, rank, rank, r))
	}
	return actors
}

func TestProcessesComeUp(t *testing.T) {
	stages(t, true, func(t *testing.T, s *stage) {
		same(t, s.all(t, role{}, nil), "up")
		// A rank that is slow is waited for, before it joins and before it is ready.
		slow := s.all(t, role{}, map[int]role{3: {Stop: []bringup.Step{bringup.StepMeet, bringup.StepConfigure}}})
		for _, a := range slow[:3] {
			a.wait("step join")
		}
		slow[3].say("go")
		for _, a := range slow[:3] {
			a.wait("step ready")
		}
		slow[3].say("go")
		same(t, slow, "up")
	})
}

// A rank is killed at each step.
func TestKilledAtEveryStep(t *testing.T) {
	const victim = 2
	stages(t, false, func(t *testing.T, s *stage) {
		for _, test := range []struct {
			step  bringup.Step
			role  role // of the others
			texts []string
		}{
			{bringup.StepMeet, role{}, []string{"step meet: rank ", "2", "not come to " + s.meet(), "enough"}},
			{bringup.StepProve, role{}, []string{"step meet: rank ", "2", "not come to " + s.meet(), "enough"}},
			{bringup.StepJoin, role{}, []string{"step join: rank 2 at " + s.address(victim).String() + ":",
				"has left", "killed"}},
			{bringup.StepConfigure, role{Hold: true}, []string{"step configure: rank 2 at " + s.address(victim).String() + ":",
				"killed"}},
			{bringup.StepReady, role{Hold: true}, []string{"step ready: rank 2 at " + s.address(victim).String() + ":",
				"killed"}},
			{bringup.StepRun, role{Watch: true}, []string{"step run: rank 2 at " + s.address(victim).String() + ":", "killed"}},
		} {
			t.Run(string(test.step), func(t *testing.T) {
				all := s.all(t, test.role, map[int]role{victim: {Stop: []bringup.Step{test.step}}})
				all[victim].wait("step " + string(test.step))
				all[victim].kill()
				others := without(all, victim)
				if test.step == bringup.StepMeet || test.step == bringup.StepProve {
					for _, a := range others {
						a.wait("step join")
					}
					all[0].say("enough")
				}
				same(t, others, test.texts...)
			})
		}
	})
}

func TestRank0KilledAtEveryStep(t *testing.T) {
	stages(t, false, func(t *testing.T, s *stage) {
		for _, test := range []struct {
			step   bringup.Step
			others bringup.Step // where they have to be: rank 0 is ahead of them
			role   role
			texts  []string
		}{
			{bringup.StepMeet, bringup.StepMeet, role{}, []string{"step meet: rank 0 at " + s.meet() + ": it does not answer",
				"enough"}},
			{bringup.StepJoin, bringup.StepJoin, role{}, []string{"step join: rank 0 at " + s.meet() + ": it has left",
				"killed"}},
			{bringup.StepConfigure, bringup.StepConfigure, role{Hold: true},
				[]string{"step ready: rank 0 at " + s.meet() + ": it has left", "killed"}},
			{bringup.StepReady, bringup.StepConfigure, role{Hold: true},
				[]string{"step ready: rank 0 at " + s.meet() + ": it has left", "killed"}},
			{bringup.StepRun, bringup.StepRun, role{Watch: true}, []string{"step run: rank 0 at " + s.meet() + ": it has left",
				"killed"}},
		} {
			t.Run(string(test.step), func(t *testing.T) {
				all := s.all(t, test.role, map[int]role{0: {Stop: []bringup.Step{test.step}}})
				all[0].wait("step " + string(test.step))
				others := all[1:]
				if test.step == bringup.StepMeet {
					all[0].kill()
					for _, a := range others {
						a.wait("step meet")
						a.say("enough")
					}
					for _, a := range others { // each says who it is
						same(t, []*actor{a}, test.texts...)
					}
					return
				}
				for _, a := range others {
					a.wait("step " + string(test.others))
				}
				all[0].kill()
				same(t, others, test.texts...)
			})
		}
	})
}

func TestProcessesThatDoNotBelong(t *testing.T) {
	stages(t, false, func(t *testing.T, s *stage) {
		t.Run("missing", func(t *testing.T) {
			var all []*actor
			for rank := range size - 1 {
				all = append(all, s.start(t, rank, rank, role{Timeout: 4 * time.Second}))
			}
			same(t, all, "step meet: rank ", "3", "not come to "+s.meet(), "4s")
		})
		t.Run("twice", func(t *testing.T) {
			var all []*actor
			for place, rank := range []int{0, 1, 2, 2} {
				all = append(all, s.start(t, place, rank, role{}))
			}
			for _, a := range all[1:] {
				a.end()
			}
			all[0].say("enough") // it would wait a while to tell rank 3
			same(t, all, "step join: rank 2 at ", s.address(2).String()+":", s.address(3).String()+":", "there twice")
		})
		t.Run("secret", func(t *testing.T) {
			all := s.all(t, role{}, map[int]role{3: {Stop: []bringup.Step{bringup.StepMeet}}})
			for _, a := range all[:3] {
				a.wait("step join")
			}
			wrong := s.start(t, 3, 3, role{}, bringup.EnvSecret+"=ffeeddccbbaa99887766554433221100")
			same(t, []*actor{wrong}, "step prove: rank 0 at "+s.meet()+": it does not have the secret")
			all[3].kill()
			all[0].say("enough")
			same(t, all[:3], "step meet: rank ", "3", "not come to "+s.meet(), "sent away were: "+s.address(3).String()+":",
				"has another secret")
		})
		t.Run("hash", func(t *testing.T) {
			same(t, s.all(t, role{}, map[int]role{1: {Hash: "bb"}}), "step join: rank 1 at "+s.address(1).String()+":",
				"platforms differ: u55c_tcp (hash aa) on ranks 0, 2 and 3; u55c_tcp (hash bb) on rank 1")
		})
		t.Run("engine", func(t *testing.T) {
			same(t, s.all(t, role{}, map[int]role{1: {Fail: "no clock"}}), "step configure: rank 1 at "+s.address(1).String()+
				":", "cannot configure its engine: no clock")
		})
	})
}

// Ranks whose connections do not end are missed, too.
func TestSilence(t *testing.T) {
	const victim = 2
	watch := role{Watch: true, Silence: 8 * time.Second}
	stages(t, true, func(t *testing.T, s *stage) {
		all := s.all(t, watch, nil)
		for _, a := range all {
			a.wait("step run")
		}
		others := without(all, victim)
		if s.net == nil {
			if err := all[victim].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			same(t, others, "step run: rank 2 at ", "it has said nothing for 8s")
			return
		}
		if err := s.net.Lose(victim, "tcp", []uint16{uint16(s.port)}, 100); err != nil {
			t.Fatal(err)
		}
		same(t, others, "step run: rank 2 at "+s.address(victim).String()+":", "it has said nothing for 8s")
		same(t, all[victim:victim+1], "step run: rank 0 at "+s.meet()+":", "it has said nothing for 8s")
	})
}

func TestStartedByMpirun(t *testing.T) {
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is missing: apt-get install openmpi-bin")
	}
	port, err := host.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		role role
		want string
	}{
		{role{}, "end up"},
		{role{Fail: "no clock"}, "cannot configure its engine: no clock"},
	} {
		args := []string{"--oversubscribe", "--bind-to", "none", "-np", fmt.Sprint(size)}
		if os.Geteuid() == 0 {
			args = append(args, "--allow-run-as-root")
		}
		c := exec.CommandContext(t.Context(), mpirun, append(args, os.Args[0])...)
		c.Env = environment(test.role.variable(t), fmt.Sprintf("%s=127.0.0.1:%d", bringup.EnvMeet, port),
			bringup.EnvSecret+"="+secret)
		var output, errors bytes.Buffer
		c.Stdout, c.Stderr = &output, &errors
		err := c.Run()
		if (err == nil) != (test.want == "end up") || !strings.Contains(output.String(), test.want) {
			t.Errorf("%v: %s%s", err, output.Bytes(), errors.Bytes())
		}
		if test.want == "end up" && strings.Count(output.String(), "end up\n") != size {
			t.Errorf("not all are up: %s", output.Bytes())
		}
	}
}
