package accl

import (
	"fmt"
	"os"
	"strconv"
)

// launcher names the variables by which a launcher tells a process its rank and
// how many there are, and the same among the processes of its host.
type launcher struct {
	name                 string
	rank, size           string
	localRank, localSize string
	// started is there only if the launcher has started the process itself: a
	// batch script of Slurm has rank and size as well.
	started string
}

// Where two have started a process, the inner one comes first: mpirun starts its
// own part through srun.
var launchers = []launcher{
	{"OpenMPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
		"OMPI_COMM_WORLD_RANK"},
	{"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_RANK"},
	{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "", "SLURM_STEP_ID"},
}

// Launch is what a launcher, such as mpirun or srun, tells a process that it
// has started.
type Launch struct {
	// Launcher is "OpenMPI", "PMI" (MPICH, Intel MPI) or "Slurm"; "" without one.
	Launcher string
	// Rank is that of the process, of Size.
	Rank, Size int
	// LocalRank counts the processes on this host, which are LocalSize; 0 if the
	// launcher does not say how many.
	LocalRank, LocalSize int
}

// Launched is the rank of this process and the number of processes, as mpirun
// or srun have started them: what Open takes as local, and the length of its
// ranks. Without a launcher it is rank 0 of 1. The error, an ErrRank, names a
// variable that makes no sense.
func Launched() (rank, size int, err error) {
	l, err := LaunchOf(os.LookupEnv)
	return l.Rank, l.Size, err
}

// LaunchOf is what a launcher says in an environment, which is that of this
// process with os.LookupEnv. Without a launcher the process is rank 0 of 1. The
// error is as with Launched.
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
