package slurmtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

type daemon struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

var errGone = errors.New("it has ended")

// launch starts a daemon; its output goes to a file of that name.
func (c *Cluster) launch(name, log string, args ...string) (*daemon, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(filepath.Join(c.dir, "log", log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = c.Env(), c.dir, out, out
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	d := &daemon{name: name, cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(d.done)
	}()
	return d, nil
}

// gone is an error if the daemon has ended.
func (d *daemon) gone() error {
	select {
	case <-d.done:
		return fmt.Errorf("%s: %w: %s", d.name, errGone, d.cmd.ProcessState)
	default:
		return nil
	}
}

// stopLimit is how long a daemon may take to stop before it is killed.
const stopLimit = 10 * time.Second

func (d *daemon) stop() error {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.done:
		return nil
	case <-time.After(stopLimit):
	}
	_ = d.cmd.Process.Kill()
	<-d.done
	return fmt.Errorf("%s did not stop within %s", d.name, stopLimit)
}

// program finds a program, also where only the superuser's path leads.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if err == nil {
			break
		}
		path, err = exec.LookPath(filepath.Join(dir, name))
	}
	return path, err
}

// freePorts are TCP ports of 127.0.0.1 that nobody has at this moment.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all are known, so that they differ
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			return nil, err
		}
		ports = append(ports, number)
	}
	return ports, nil
}
