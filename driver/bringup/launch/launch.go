// Package launch determines the ranks of a world that this process serves, and the hosts
// of all ranks: from options, from the environment of a launcher (mpirun of OpenMPI,
// MPICH and Intel MPI, or srun), or by default. It also reads hosts files, lists of hosts
// and of nodes, and names of jobs for other packages.
package launch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
)

var (
	// ErrOption matches errors of options that are wrong or missing.
	ErrOption = errors.New("bad option")
	// ErrHost matches errors of hosts without a usable address.
	ErrHost = errors.New("no address")
	// ErrEnvironment matches errors of a launcher's variables. Those for rank and size match
	// accl.ErrRank instead.
	ErrEnvironment = errors.New("bad environment")
)

// Options of a process; zero values are the defaults. Lists of ranks have the form
// "0,2-3".
type Options struct {
	// Size is the number of ranks of the world; by default the number of processes plus that
	// of the ranks of Foreign.
	Size int
	// Ranks are the ranks that this process serves. By default, the processes share all
	// ranks but those of Foreign, in blocks of equal size, or with the larger blocks first.
	Ranks string
	// Foreign are ranks that none of the processes serves.
	Foreign string
	// Hosts gives the hosts of ranks: a list like "a,b:2,10.0.0.3", or a file with a host in
	// each line and "slots=2" or ":2" for more than one slot. Hosts are filled in order: by
	// the processes of the launcher as in its own host file, or by ranks if there is no
	// launcher or Ranks or Foreign are given. A single host without a number takes all.
	Hosts string
	// Lookup finds the addresses of a name; nil for the system's resolver.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
}

// World describes all ranks to a process.
type World struct {
	Size    int
	Local   []int        // ranks that this process serves, in order
	Foreign []int        // ranks that none of the processes serves, in order
	Hosts   []netip.Addr // by rank, IPv4
	// Launcher is "OpenMPI", "PMI" (MPICH, Intel MPI) or "Slurm"; "" without one.
	Launcher string
	// Process is the index of this process among Processes.
	Process, Processes int
	// Job identifies the processes that were started together; "" if the launcher does not
	// tell.
	Job string
}

// jobs are the variables that identify the job of a process: for each launcher, the first
// group with a value counts.
var jobs = map[string][][]string{
	"OpenMPI": {{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}},
	"PMI":     {{"PMI_JOBID"}},
	"Slurm":   {{"SLURM_JOB_ID", "SLURM_STEP_ID"}},
}

// Job is the launcher's name of the job, "" if it does not tell.
func Job(env func(string) (string, bool), launcher string) string {
	for _, names := range jobs[launcher] {
		var parts []string
		for _, name := range names {
			if value, _ := env(name); strings.TrimSpace(value) != "" {
				parts = append(parts, strings.TrimSpace(value))
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, ".")
		}
	}
	return ""
}

// loopback is where ranks are if all are on one host.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// maxSize is the largest size of a world: there are not more ports.
const maxSize = 1 << 16

// Resolve returns the World of this process; env looks up variables as os.LookupEnv does.
// Errors match those of the package, or accl.ErrRank, and name the wrong option, variable
// or line.
func Resolve(ctx context.Context, env func(string) (string, bool), o Options) (World, error) {
	l, err := accl.LaunchOf(env)
	if err != nil {
		return World{}, err
	}
	w := World{Launcher: l.Launcher, Process: l.Rank, Processes: l.Size, Job: Job(env, l.Launcher)}
	if err := w.share(o); err != nil {
		return World{}, err
	}
	f := &finder{ctx: ctx, env: env, o: o, l: l, w: &w, known: map[string]netip.Addr{}}
	if w.Hosts, err = f.hosts(); err != nil {
		return World{}, err
	}
	return w, nil
}

// Here returns a world of which this process serves all ranks, independent of a launcher.
func Here(ctx context.Context, size int) (World, error) {
	return Resolve(ctx, func(string) (string, bool) { return "", false }, Options{Size: size})
}

// share settles the ranks.
func (w *World) share(o Options) (err error) {
	if w.Foreign, err = Ranks("--foreign", o.Foreign); err != nil {
		return err
	}
	if w.Size = o.Size; w.Size == 0 {
		if w.Launcher == "" && o.Ranks+o.Foreign != "" {
			return fmt.Errorf("%w: --ranks and --foreign name some of all ranks; -n says how many there are", ErrOption)
		}
		w.Size = w.Processes + len(w.Foreign)
	}
	if w.Size < 1 || w.Size > maxSize {
		return fmt.Errorf("%w: a world has 1 to %d ranks, not %d", ErrOption, maxSize, w.Size)
	}
	if err := w.inside("--foreign", w.Foreign); err != nil {
		return err
	}
	if o.Ranks != "" {
		if w.Local, err = Ranks("--ranks", o.Ranks); err != nil {
			return err
		}
		for _, r := range w.Local {
			if slices.Contains(w.Foreign, r) {
				return fmt.Errorf("%w: rank %d is in --ranks and in --foreign", ErrOption, r)
			}
		}
		return w.inside("--ranks", w.Local)
	}
	ours := make([]int, 0, w.Size)
	for r := range w.Size {
		if !slices.Contains(w.Foreign, r) {
			ours = append(ours, r)
		}
	}
	if len(ours) < w.Processes {
		return fmt.Errorf("%w: %s serve %s: start fewer, or more ranks with -n", ErrOption,
			count(w.Processes, "process", "processes"), count(len(ours), "rank", "ranks"))
	}
	from, to := block(len(ours), w.Processes, w.Process)
	w.Local = ours[from:to]
	return nil
}

func (w *World) inside(option string, ranks []int) error {
	if n := len(ranks); n > 0 && ranks[n-1] >= w.Size {
		return fmt.Errorf("%w: %s has rank %d, and the %s are 0 to %d", ErrOption, option, ranks[n-1],
			count(w.Size, "rank", "ranks"), w.Size-1)
	}
	return nil
}

// block is the part from and up to which one of some processes has n things.
func block(n, processes, process int) (from, to int) {
	each, more := n/processes, n%processes
	from = process*each + min(process, more)
	to = from + each
	if process < more {
		to++
	}
	return from, to
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
