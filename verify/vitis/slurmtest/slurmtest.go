// Package slurmtest starts a little Slurm cluster for tests: the real daemons, all
// on this host and as the user who runs the test.
package slurmtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options say what a cluster has.
type Options struct {
	Nodes  int // default 2: n1, n2, …
	CPUs   int // of each node; default 2
	Memory int // of each node, MiB; default 1000
	// Silence is how long commands wait for an answer (MessageTimeout); default 30 s,
	// more than a busy host ever keeps slurmctld from its work.
	Silence time.Duration
}

// Cluster is a running cluster.
type Cluster struct {
	// Conf is the path of slurm.conf, for the variable SLURM_CONF.
	Conf string
	// Dir is a directory that all nodes see, for jobs.
	Dir string

	o       Options
	dir     string
	ports   []int // of slurmctld, and of each slurmd
	munge   *daemon
	control *daemon
	nodes   []*daemon
}

// ErrMissing matches errors of hosts without Slurm.
var ErrMissing = errors.New("there is no Slurm: apt-get install slurm-wlm munge")

// attempts are how often a cluster is tried on other ports, as somebody else may
// take one between our look and slurmctld's.
const attempts = 3

// Start starts a cluster. Stop ends it; so does the end of this process.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"} {
		if _, err := program(name); err != nil {
			return nil, fmt.Errorf("%w (no %s)", ErrMissing, name)
		}
	}
	o.Nodes = cmp.Or(o.Nodes, 2)
	o.CPUs = cmp.Or(o.CPUs, 2)
	o.Memory = cmp.Or(o.Memory, 1000)
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	var errs []error
	for range attempts {
		c, err := start(ctx, o)
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("start a Slurm cluster: %w", errors.Join(errs...))
}

func start(ctx context.Context, o Options) (*Cluster, error) {
	// Names of sockets may have a hundred letters or so: not below t.TempDir().
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Conf: filepath.Join(dir, "slurm.conf"), Dir: filepath.Join(dir, "jobs"), o: o, dir: dir}
	if err := c.start(ctx); err != nil {
		err = fmt.Errorf("%w\n%s", err, c.Logs())
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if err := os.Chmod(c.dir, 0o755); err != nil {
		return err
	}
	for _, sub := range []string{"munge", "state", "spool", "log", "jobs"} {
		if err := os.Mkdir(filepath.Join(c.dir, sub), 0o755); err != nil {
			return err
		}
	}
	key := make([]byte, 128)
	rand.Read(key)
	if err := os.WriteFile(filepath.Join(c.dir, "munge/key"), key, 0o600); err != nil {
		return err
	}
	var err error
	if c.ports, err = freePorts(c.o.Nodes + 1); err != nil {
		return err
	}
	conf, err := c.conf()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.Conf, []byte(conf), 0o644); err != nil {
		return err
	}
	if err := c.startMunge(ctx); err != nil {
		return err
	}
	if err := c.StartController(ctx); err != nil {
		return err
	}
	for i := range c.o.Nodes {
		name := fmt.Sprintf("n%d", i+1)
		d, err := c.launch("slurmd", name, "-D", "-N", name)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, d)
	}
	return c.await(ctx, "nodes", func() error {
		out, err := c.Command(ctx, "sinfo", "--noheader", "--Node", "--partition=main", "--format=%T").Output()
		if err != nil {
			return err
		}
		if idle := strings.Count(string(out), "idle"); idle != c.o.Nodes {
			return fmt.Errorf("sinfo says %q", strings.Fields(string(out)))
		}
		return nil
	})
}

func (c *Cluster) startMunge(ctx context.Context) error {
	in := func(name string) string { return filepath.Join(c.dir, "munge", name) }
	var err error
	c.munge, err = c.launch("munged", "munged", "--foreground", "--key-file="+in("key"), "--socket="+in("socket"),
		"--pid-file="+in("pid"), "--seed-file="+in("seed"), "--log-file="+in("log"))
	if err != nil {
		return err
	}
	return c.await(ctx, "munged", func() error {
		_, err := os.Stat(in("socket"))
		return errors.Join(err, c.munge.gone())
	})
}

// StartController starts slurmctld, at first or after StopController.
func (c *Cluster) StartController(ctx context.Context) error {
	d, err := c.launch("slurmctld", "slurmctld", "-D")
	if err != nil {
		return err
	}
	c.control = d
	return c.await(ctx, "slurmctld", func() error {
		if err := d.gone(); err != nil {
			return err
		}
		return c.Command(ctx, "scontrol", "ping").Run()
	})
}

// StopController stops slurmctld. Jobs go on.
func (c *Cluster) StopController() error {
	d := c.control
	c.control = nil
	return d.stop()
}

// startLimit bounds each wait for daemons.
const startLimit = 2 * time.Minute

// await tries something until it works.
func (c *Cluster) await(ctx context.Context, what string, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		err := try()
		if err == nil || errors.Is(err, errGone) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w", what, ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Env is the environment for commands that use the cluster.
func (c *Cluster) Env() []string { return append(os.Environ(), "SLURM_CONF="+c.Conf) }

// Command is a command that uses the cluster.
func (c *Cluster) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	path, err := program(name)
	if err != nil {
		path = name
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = c.Env()
	return cmd
}

// Queue lists the jobs that have not ended, as squeue does: "12 RUNNING n1".
func (c *Cluster) Queue(ctx context.Context) ([]string, error) {
	out, err := c.Command(ctx, "squeue", "--noheader", "--format=%A %T %N").Output()
	if err != nil {
		return nil, fmt.Errorf("squeue: %w", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

// Logs are the ends of the daemons' logs.
func (c *Cluster) Logs() string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.dir, "log", "*"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(f), text[max(0, len(text)-2000):])
	}
	return b.String()
}

// Stop cancels what is left of jobs, stops the daemons and removes their files.
func (c *Cluster) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var errs []error
	if c.control != nil && len(c.nodes) > 0 {
		errs = append(errs, c.empty(ctx))
	}
	for _, d := range append([]*daemon{c.control}, append(c.nodes, c.munge)...) {
		if d != nil {
			errs = append(errs, d.stop())
		}
	}
	errs = append(errs, os.RemoveAll(c.dir))
	return errors.Join(errs...)
}

func (c *Cluster) empty(ctx context.Context) error {
	return c.await(ctx, "the queue to be empty", func() error {
		jobs, err := c.Queue(ctx)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, j := range jobs {
			id, _, _ := strings.Cut(j, " ")
			if err := c.Command(ctx, "scancel", id).Run(); err != nil {
				return fmt.Errorf("scancel %s: %w", id, err)
			}
		}
		return fmt.Errorf("there are %q", jobs)
	})
}
