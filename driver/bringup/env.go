package bringup

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
)

// Lookup looks up environment variables, as os.LookupEnv does.
type Lookup func(name string) (value string, there bool)

// Environment variables. Rank and size must agree with those of a launcher, if there is one.
const (
	EnvRank       = "CCLFORGE_RANK"        // rank of this process
	EnvSize       = "CCLFORGE_SIZE"        // number of ranks; the default is the number of slots of the hosts
	EnvLocalRank  = "CCLFORGE_LOCAL_RANK"  // of this process on its host; with it, others are as a launcher's
	EnvHosts      = "CCLFORGE_HOSTS"       // file of hosts, a line "host" or "host slots=2" for each; or a list "a:2,b:2"
	EnvMeet       = "CCLFORGE_MEET"        // address of rank 0, "host" or "host:port"
	EnvSecret     = "CCLFORGE_SECRET"      // secret of all ranks
	EnvSecretFile = "CCLFORGE_SECRET_FILE" // file with the secret
)

// flagged are variables that flags stand for.
var flagged = []struct{ flag, env, usage string }{
	{"rank", EnvRank, "`rank` of this process, from 0; mpirun and srun say it themselves"},
	{"size", EnvSize, "`number` of ranks; else that of the slots in -hosts"},
	{"hosts", EnvHosts,
		"`file` with the hosts of all ranks, a line \"host slots=2\" for each, or a list \"a:2,b:2\"; the first has rank 0"},
	{"meet", EnvMeet, "`host:port` where rank 0 listens"},
}

// Flags defines the flags -rank, -size, -hosts and -meet, which override environment
// variables. The result looks up the parsed flags first, then env.
func Flags(set *flag.FlagSet, env Lookup) Lookup {
	given := map[string]*string{}
	for _, o := range flagged {
		given[o.env] = set.String(o.flag, "", o.usage)
	}
	return func(name string) (string, bool) {
		if v := given[name]; v != nil && *v != "" {
			return *v, true
		}
		return env(name)
	}
}

// FromEnv returns the options that follow from launchers and environment variables. The
// program sets the rest, such as Self and Timeout. The error is ErrOption, or that of
// accl.LaunchOf.
//
// Rank and Size come from the launcher, or else the variables. Meet is EnvMeet; else the
// first of the hosts; else, if all ranks are on one host, this host; else, in Slurm, the
// first node of the step. A secret is required unless there is only one rank. Job is the
// launcher's id of the job, so that two jobs do not meet.
func FromEnv(env Lookup) (Options, error) {
	started, err := accl.LaunchOf(env)
	if err != nil {
		return Options{}, err
	}
	o := Options{Rank: started.Rank, Size: started.Size, Job: jobID(env, started.Launcher)}
	var hosts []string
	if name := value(env, EnvHosts); name != "" {
		if hosts, err = hostsOf(name); err != nil {
			return Options{}, err
		}
	}
	if err := o.place(env, started.Launcher, len(hosts)); err != nil {
		return Options{}, err
	}
	if len(hosts) > 0 && len(hosts) < o.Size {
		return Options{}, fmt.Errorf("%w: %s has room for %d of %d ranks", ErrOption, value(env, EnvHosts),
			len(hosts), o.Size)
	}
	if o.Size == 1 {
		return o, nil
	}
	if o.Meet, err = meet(env, started, hosts); err != nil {
		return Options{}, err
	}
	o.Secret, err = secret(env)
	if err != nil {
		return Options{}, err
	}
	return o, nil
}

// value is that of a variable, "" if there is none.
func value(env Lookup, name string) string {
	v, _ := env(name)
	return strings.TrimSpace(v)
}

// place takes rank and size from variables. A launcher knows better.
func (o *Options) place(env Lookup, launcher string, slots int) error {
	read := func(name string, known *int, otherwise int) error {
		text := value(env, name)
		if text == "" {
			if launcher == "" {
				*known = otherwise
			}
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > MaxSize {
			return fmt.Errorf("%w: %s is %q, not a number from 0 to %d", ErrOption, name, text, MaxSize)
		}
		if launcher != "" && n != *known {
			return fmt.Errorf("%w: %s is %d, but %s says %d", ErrOption, name, n, launcher, *known)
		}
		*known = n
		return nil
	}
	if err := read(EnvSize, &o.Size, max(slots, 1)); err != nil {
		return err
	}
	if err := read(EnvRank, &o.Rank, -1); err != nil {
		return err
	}
	if o.Rank < 0 && o.Size == 1 {
		o.Rank = 0
	}
	if o.Rank < 0 {
		return fmt.Errorf(
			"%w: there are %d ranks, and nothing says which one this is: set %s or -rank, or start it with mpirun or srun",
			ErrOption, o.Size, EnvRank)
	}
	if o.Size < 1 || o.Size > MaxSize || o.Rank >= o.Size {
		return fmt.Errorf("%w: rank %d of %d; set %s or -size, 1 to %d, or list the hosts", ErrOption, o.Rank,
			o.Size, EnvSize, MaxSize)
	}
	return nil
}

// meet is where rank 0 is.
func meet(env Lookup, started accl.Launch, hosts []string) (string, error) {
	at := value(env, EnvMeet)
	var nodes []string
	if at == "" && len(hosts) == 0 && started.Launcher == "Slurm" {
		var err error
		if nodes, _, err = launch.Nodes(env, MaxSize); err != nil {
			return "", fmt.Errorf("%w: %w", ErrOption, err)
		}
	}
	switch {
	case at != "":
	case len(hosts) > 0:
		at = hosts[0]
	case started.Launcher != "" && started.LocalSize == started.Size, len(nodes) == 1:
		at = "127.0.0.1"
	case len(nodes) > 1:
		at = nodes[0]
	default:
		return "", fmt.Errorf(
			"%w: nothing says where rank 0 is: set %s or --meet to its host:port, or list the hosts in %s or --hosts",
			ErrOption, EnvMeet, EnvHosts)
	}
	if _, _, err := net.SplitHostPort(at); err != nil {
		at = net.JoinHostPort(strings.Trim(at, "[]"), strconv.Itoa(DefaultPort))
	}
	if err := checkMeet(at); err != nil {
		return "", fmt.Errorf("%w: %w", ErrOption, err)
	}
	return at, nil
}

// jobNames are prefixes of job names, by launcher.
var jobNames = map[string]string{"OpenMPI": "mpirun", "PMI": "pmi", "Slurm": "slurm"}

// jobID is the launcher's name of the job, "" if it does not tell.
func jobID(env Lookup, launcher string) string {
	job := launch.Job(env, launcher)
	if job == "" {
		return ""
	}
	return jobNames[launcher] + " " + job
}

// maxSecret bounds a secret, in bytes.
const maxSecret = 4096

// secret is that of the environment, without space around it.
func secret(env Lookup) ([]byte, error) {
	text, file := value(env, EnvSecret), value(env, EnvSecretFile)
	switch {
	case text != "" && file != "":
		return nil, fmt.Errorf("%w: both %s and %s are set; set one of them", ErrOption, EnvSecret, EnvSecretFile)
	case text == "" && file == "":
		return nil, fmt.Errorf(
			"%w: there is no secret: set %s, or %s to a file that only the user can read, to the same on all ranks, such as "+
				"openssl rand -hex 16 prints", ErrOption, EnvSecret, EnvSecretFile)
	case text != "":
		return checkSecret([]byte(text), EnvSecret)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrOption, EnvSecretFile, err)
	}
	defer f.Close()
	read, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrOption, EnvSecretFile, err)
	}
	return checkSecret(bytes.TrimSpace(read), file)
}

func checkSecret(secret []byte, where string) ([]byte, error) {
	if n := len(secret); n < MinSecret || n > maxSecret {
		return nil, fmt.Errorf("%w: the secret in %s is %d bytes long; must be %d to %d", ErrOption, where,
			n, MinSecret, maxSecret)
	}
	return secret, nil
}
