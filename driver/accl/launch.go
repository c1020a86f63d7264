package accl

import (
	"fmt"
	"os"
	"strconv"
)

// launcher names the variables that give a process its rank and the number of processes,
// in all and on its host.
type launcher struct {
	name                 string
	rank, size           string
	localRank, localSize string
	// started is set only if the launcher has started the process itself: a batch script
	// of Slurm has rank and size as well.
	started string
}

// launchers has inner launchers first: mpirun starts its daemons through srun. The first of
// them is a program that knows its place by other means.
var launchers = []launcher{
	{"program", "CCLFORGE_RANK", "CCLFORGE_SIZE", "CCLFORGE_LOCAL_RANK", "", "CCLFORGE_LOCAL_RANK"},
	{"OpenMPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
		"OMPI_COMM_WORLD_RANK"},
	{"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_RANK"},
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "", "SLURM_STEP_ID"},
}

// Launch is the position of a process among those that a launcher, such as mpirun or srun,
// has started.
type Launch struct {
	// Launcher is "OpenMPI", "PMI" (MPICH, Intel MPI), "Slurm", or "program" with CCLFORGE_LOCAL_RANK; "" without one.
	Launcher string
	// Rank of the process, and the number of processes.
	Rank, Size int
	// LocalRank is the rank among the LocalSize processes of this host; LocalSize is 0 if
	// the launcher does not give it.
	LocalRank, LocalSize int
}

// Launched returns the rank of this process and the number of processes that mpirun or
// srun have started: the argument local of Open, and the length of its ranks. Without a
// launcher it returns rank 0 of 1. The error is ErrRank and names the wrong variable.
func Launched() (rank, size int, err error) {
	l, err := LaunchOf(os.LookupEnv)
	return l.Rank, l.Size, err
}

// LaunchOf reads a launcher's variables from an environment; pass os.LookupEnv for that of
// this process. Without a launcher, the process is rank 0 of 1. The error is ErrRank and
// names the wrong variable.
func LaunchOf(env func(name string) (value string, there bool)) (Launch, error) {
	found := Launch{Size: 1, LocalSize: 1}
	for _, by := range launchers {
		_, started := env(by.started)
		if _, there := env(by.rank); !there || !started {
			continue
		}
		l, err := by.read(env)
		switch {
		case found.Launcher != "":
			// srun speaks PMI, too, but knows more by itself.
			if err == nil && found.LocalSize == 0 && l.Rank == found.Rank && l.Size == found.Size {
				return l, nil
			}
		case err != nil:
			return Launch{}, err
		default:
			found = l
		}
	}
	return found, nil
}

func (by *launcher) read(env func(string) (string, bool)) (l Launch, err error) {
	l.Launcher = by.name
	text, _ := env(by.rank)
	if l.Rank, err = strconv.Atoi(text); err != nil || l.Rank < 0 {
		return l, fmt.Errorf("%w: %s is %q, not a rank", ErrRank, by.rank, text)
	}
	text, _ = env(by.size)
	if l.Size, err = strconv.Atoi(text); err != nil || l.Size <= l.Rank {
		return l, fmt.Errorf("%w: %s is %q, not a number of ranks above %s, %d", ErrRank, by.size, text, by.rank, l.Rank)
	}
	if text, there := env(by.localRank); there {
		if l.LocalRank, err = strconv.Atoi(text); err != nil || l.LocalRank < 0 {
			return l, fmt.Errorf("%w: %s is %q, not a rank", ErrRank, by.localRank, text)
		}
	}
	if text, there := env(by.localSize); there {
		if l.LocalSize, err = strconv.Atoi(text); err != nil || l.LocalSize <= l.LocalRank || l.LocalSize > l.Size {
			return l, fmt.Errorf("%w: %s is %q, not a number of ranks above %s, %d, and up to %s, %d",
				ErrRank, by.localSize, text, by.localRank, l.LocalRank, by.size, l.Size)
		}
	}
	return l, nil
}
