// Package supervisor makes a program the supervisor of jobs that it runs itself: started
// again, it watches one script and all that the script starts. On systems other than Linux
// there is none.
package supervisor
