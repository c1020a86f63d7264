package accl

import (
	"errors"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestLaunched(t *testing.T) {
	for _, l := range launchers {
		for _, name := range []string{l.rank, l.size, l.localRank, l.localSize, l.started} {
			if name == "" {
				continue
			}
			t.Setenv(name, "") // restores it afterwards
			assert.NilError(t, os.Unsetenv(name))
		}
	}
	if rank, size, err := Launched(); rank != 0 || size != 1 || err != nil {
		t.Errorf("without a launcher: rank %d of %d, %v", rank, size, err)
	}
	t.Setenv("PMI_RANK", "2")
	t.Setenv("PMI_SIZE", "3")
	if rank, size, err := Launched(); rank != 2 || size != 3 || err != nil {
		t.Errorf("rank %d of %d, %v", rank, size, err)
	}
}

// What mpirun of OpenMPI 4.1.4, mpirun.mpich 4.0.2 and srun of Slurm 22.05 set,
// in each other's company.
func TestLaunchOfEnvironments(t *testing.T) {
	for _, test := range []struct {
		name, env string
		want      Launch
	}{
		{"none", "HOME=/root", Launch{Size: 1, LocalSize: 1}},
		{"OpenMPI",
			"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 " +
				"OMPI_COMM_WORLD_NODE_RANK=1 PMIX_RANK=3",
			Launch{"OpenMPI", 3, 4, 1, 2}},
		{"MPICH", "PMI_FD=8 PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", Launch{"PMI", 1, 2, 1, 2}},
		{"bare PMI", "PMI_RANK=0 PMI_SIZE=1", Launch{"PMI", 0, 1, 0, 0}},
		{"Slurm", "SLURM_PROCID=2 SLURM_NTASKS=3 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3",
			Launch{"Slurm", 2, 3, 0, 0}},
		{"batch script of Slurm", "SLURM_PROCID=0 SLURM_NTASKS=3 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_JOB_ID=4",
			Launch{Size: 1, LocalSize: 1}},
		{"one task of a larger job", "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_LOCALID=0 SLURM_STEP_ID=2 SLURM_STEP_NUM_TASKS=1",
			Launch{"Slurm", 0, 1, 0, 0}},
		{"srun --mpi=pmi2",
			"PMI_RANK=1 PMI_SIZE=2 PMI_JOBID=3.0 SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2",
			Launch{"Slurm", 1, 2, 1, 0}},
		{"OpenMPI in a job of Slurm",
			"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 " +
				"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=4",
			Launch{"OpenMPI", 1, 2, 1, 2}},
		{"MPICH in a job of Slurm",
			"MPI_LOCALNRANKS=2 MPI_LOCALRANKID=1 PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_STEP_ID=2 " +
				"SLURM_STEP_NUM_TASKS=1",
			Launch{"PMI", 1, 2, 1, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := LaunchOf(environment(test.env)); got != test.want || err != nil {
				t.Errorf("%+v, %v; expected %+v", got, err, test.want)
			}
		})
	}
}

func TestLaunchOfNonsense(t *testing.T) {
	for _, test := range []struct{ env, text string }{
		{"PMI_RANK=4 PMI_SIZE=4", `PMI_SIZE is "4", not a number of ranks above PMI_RANK, 4`},
		{"PMI_RANK=-1 PMI_SIZE=4", `PMI_RANK is "-1", not a rank`},
		{"PMI_RANK=one PMI_SIZE=4", `PMI_RANK is "one", not a rank`},
		{"PMI_RANK=0", `PMI_SIZE is ""`},
		{"SLURM_PROCID=0 SLURM_STEP_ID=0", `SLURM_STEP_NUM_TASKS is ""`},
		{"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=x",
			`OMPI_COMM_WORLD_LOCAL_RANK is "x", not a rank`},
		{"PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=1",
			`MPI_LOCALNRANKS is "1", not a number of ranks above MPI_LOCALRANKID, 1`},
		{"PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=3",
			`MPI_LOCALNRANKS is "3", not a number of ranks above MPI_LOCALRANKID, 1, and up to PMI_SIZE, 2`},
	} {
		if got, err := LaunchOf(environment(test.env)); got != (Launch{}) || !errors.Is(err, ErrRank) ||
			!strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %+v, %v", test.env, got, err)
		}
	}
}

// environment looks variables up in a text of name=value pairs.
func environment(text string) func(string) (string, bool) {
	vars := map[string]string{}
	for _, pair := range strings.Fields(text) {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) {
		value, there := vars[name]
		return value, there
	}
}
