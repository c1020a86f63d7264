package slurmtest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// conf is slurm.conf (slurm.conf(5), 22.05). Jobs start at once, and nothing is
// recorded beyond slurmctld's own state.
func (c *Cluster) conf() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	host, _, _ = strings.Cut(host, ".")
	me := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		me = u.Username
	}
	var b strings.Builder
	fmt.Fprintf(&b, `ClusterName=cclforge
SlurmctldHost=%[2]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmUser=%[4]s
SlurmdUser=%[4]s
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[1]s/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
DefMemPerCPU=100
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool/%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/%%n.pid
KillWait=2
MessageTimeout=%[5]d
SlurmdTimeout=60
EpilogMsgTime=0
`, c.dir, host, c.ports[0], me, int(c.o.Silence.Seconds()))
	for i, port := range c.ports[1:] {
		fmt.Fprintf(&b,
			"NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d Sockets=1 CoresPerSocket=%d ThreadsPerCore=1 "+
				"RealMemory=%d Feature=odd%d\n",
			i+1, host, port, c.o.CPUs, c.o.Memory, (i+1)%2)
	}
	b.WriteString("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
	b.WriteString("PartitionName=short Nodes=ALL MaxTime=5 State=UP\n")
	return b.String(), nil
}
