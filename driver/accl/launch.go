package accl

import (
	"fmt"
	"os"
	"strconv"
)

// launchers name the variables by which launchers tell a process its rank and
// how many there are: OpenMPI, PMI (MPICH, Intel MPI), Slurm.
var launchers = []struct{ rank, size string }{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"PMI_RANK", "PMI_SIZE"},
	{"SLURM_PROCID", "SLURM_NTASKS"},
}

// Launched is the rank of this process and the number of processes, as mpirun
// or srun have started them: what Open takes as local, and the length of its
// ranks. Without a launcher it is rank 0 of 1. The error, an ErrRank, names a
// variable that makes no sense.
func Launched() (rank, size int, err error) {
	for _, l := range launchers {
		text, there := os.LookupEnv(l.rank)
		if !there {
			continue
		}
		if rank, err = strconv.Atoi(text); err != nil || rank < 0 {
			return 0, 0, fmt.Errorf("%w: %s is %q, not a rank", ErrRank, l.rank, text)
		}
		text = os.Getenv(l.size)
		if size, err = strconv.Atoi(text); err != nil || size <= rank {
			return 0, 0, fmt.Errorf("%w: %s is %q, not a number of ranks above %s, %d", ErrRank, l.size, text, l.rank, rank)
		}
		return rank, size, nil
	}
	return 0, 1, nil
}
