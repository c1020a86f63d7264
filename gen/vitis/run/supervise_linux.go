package run

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Supervise must be the first call of a program that runs jobs with this package:
// the program is its own supervisor, and then Supervise does not return.
func Supervise() {
	supervised.Store(true)
	if len(os.Args) == 6 && os.Args[1] == hidden {
		fmt.Println(supervise(os.Args[2], os.Args[3], os.Args[4], os.Args[5]))
		syscall.Exit(0) // nothing is left to do, and nothing waits for it
	}
}

const (
	subreaper = 36 // PR_SET_CHILD_SUBREAPER, linux/prctl.h
	// halting is how long a halt of all processes may take.
	halting = time.Second
	// look is the time between two looks at the processes that are to end.
	look = 20 * time.Millisecond
	// leftGrace is the grace for what a script leaves running.
	leftGrace = 2 * time.Second
	// undying is how long killed processes may take to be gone, for instance while
	// a network file system does not answer.
	undying = 30 * time.Second
)

// supervise runs a script until all that it has started is gone, and says how the
// script has ended.
func supervise(dir, script, log, grace string) string {
	runtime.LockOSThread() // the kernel kills the script when this thread ends
	patience, err := time.ParseDuration(grace)
	if err != nil {
		return "error " + err.Error()
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	signal.Ignore(syscall.SIGPIPE)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0); errno != 0 {
		return "error prctl: " + errno.Error()
	}
	pid, err := launch(dir, script, log)
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	gone := make(chan struct{})
	go func() { // until whoever has started this ends, or says so
		defer close(gone)
		buf := make([]byte, 1)
		for {
			if _, err := os.Stdin.Read(buf); err != nil {
				return
			}
		}
	}()
	return tree{pid: pid, patience: patience, signals: signals, gone: gone}.watch()
}

func launch(dir, script, log string) (int, error) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return 0, err
	}
	out, err := openLog(log)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	return syscall.ForkExec(bash, []string{"bash", script}, &syscall.ProcAttr{
		Dir: dir, Env: os.Environ(), Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
}

// tree is a script with all its descendants.
type tree struct {
	pid      int
	patience time.Duration
	signals  <-chan os.Signal
	gone     <-chan struct{}
}

type reaped struct {
	pid    int
	status syscall.WaitStatus
}

// watch returns when there is no descendant any more.
func (t tree) watch() string {
	dead := make(chan reaped)
	go func() {
		defer close(dead)
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, 0, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return
			}
			dead <- reaped{pid, status}
		}
	}()
	how := "error the script was lost"
	var end time.Time // of the patience with those that have been asked to end
	var ticks <-chan time.Time
	begin := func(grace time.Duration) {
		if ticks == nil {
			ask()
			end, ticks = time.Now().Add(grace), time.Tick(look)
		}
	}
	for {
		select {
		case d, ok := <-dead:
			if !ok {
				return how
			}
			if d.pid == t.pid {
				how = words(d.status)
				begin(min(leftGrace, t.patience))
			}
		case <-t.signals:
			begin(t.patience)
		case <-t.gone:
			t.gone = nil
			begin(t.patience)
		case <-ticks:
			late := time.Since(end)
			if late > undying {
				return "error a process of it cannot be killed"
			}
			if late > 0 {
				tell(syscall.SIGKILL)
			}
		}
	}
}

func words(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("signal %d", status.Signal())
	}
	return fmt.Sprintf("exit %d", status.ExitStatus())
}

// ask asks all descendants to end. They are halted before, so that none is missed
// that is just being started; what they start afterwards they do to end in good
// order, and it is left in peace.
func ask() {
	var before []int
	still := false
	for begin := time.Now(); time.Since(begin) < halting; time.Sleep(time.Millisecond) {
		pids := tell(syscall.SIGSTOP)
		if still && slices.Equal(pids, before) {
			break
		}
		before, still = pids, !slices.ContainsFunc(pids, moves)
	}
	tell(syscall.SIGTERM)
	tell(syscall.SIGCONT)
}

// tell sends all descendants a signal.
func tell(signal syscall.Signal) []int {
	pids := descendants(os.Getpid())
	for _, pid := range pids {
		syscall.Kill(pid, signal)
	}
	return pids
}
