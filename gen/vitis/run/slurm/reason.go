package slurm

import "strings"

// reasons are in squeue(1), "JOB REASON CODES", and in words.
var reasons = map[string]string{
	"":                         "Slurm has not looked at it yet",
	"None":                     "Slurm has not looked at it yet",
	"Resources":                "all fitting nodes are busy",
	"Priority":                 "other jobs come first",
	"Dependency":               "other steps come first",
	"DependencyNeverSatisfied": "a step that it needs has not ended well",
	"BeginTime":                "it may not begin yet",
	"Cleaning":                 "an earlier run of it is being cleaned up",
	"JobHeldAdmin":             "an administrator holds it back",
	"JobHeldUser":              "it is held back; to release it: scontrol release",
	"Licenses":                 "licences are in use",
	"NodeDown":                 "a node that it needs is down",
	"PartitionDown":            "the partition is down",
	"PartitionInactive":        "the partition takes no jobs",
	"PartitionNodeLimit":       "it wants more nodes than the partition allows, and never begins",
	"PartitionTimeLimit":       "it wants more time than the partition allows, and never begins",
	"PartitionConfig":          "no node of the partition has what it wants, and it never begins",
	"BadConstraints":           "no node has what it wants, and it never begins",
	"InvalidAccount":           "its account is not valid, and it never begins",
	"InvalidQOS":               "its QOS is not valid, and it never begins",
	"ReqNodeNotAvail":          "nodes that it needs are down, drained or reserved",
	"Reservation":              "it waits for its reservation",
	"SchedDefer":               "Slurm has put it off",
	"Prolog":                   "its node is being prepared",
	"Nodes":                    "nodes that it needs are down, drained or reserved",
	"Reserved":                 "its node is kept for it",
	"launch":                   "its node could not start it, and it is held back",
}

// words say why a job waits, with Slurm's own word.
func words(reason string) string {
	// "ReqNodeNotAvail, UnavailableNodes:n1", "Nodes required for job are DOWN, …"
	first, _, _ := strings.Cut(reason, ",")
	first, _, _ = strings.Cut(first, " ")
	text, ok := reasons[first]
	switch {
	case ok && (reason == "" || reason == "None"):
		return text
	case ok:
	case strings.HasPrefix(first, "Assoc"):
		text = "the account's limit is reached"
	case strings.HasPrefix(first, "QOS"):
		text = "the limit of its QOS is reached"
	case strings.HasSuffix(first, "Limit"), strings.Contains(first, "Max"):
		text = "a limit is reached"
	default:
		return "Slurm says " + reason
	}
	return text + " (" + reason + ")"
}

// never says whether a job with such a reason begins only if somebody changes the
// job or the cluster.
func never(reason string) bool {
	return strings.HasSuffix(reasons[reason], "and it never begins") ||
		strings.HasSuffix(reasons[reason], "and never begins")
}
