package manual

// messagesText begins the chapter on messages.
const messagesText = `What engines send to one another.

**Collectives.** A message inside a collective has an odd comm_context and says which collective it belongs to: its
number in the communicator, its count, and its shape (operation, root, function, compression, and a hash of the
arithmetic configuration with its TDESTs). A receiver uses no message of another collective: its call ends at once with
COLLECTIVE_MISMATCH. So do announcements of buffers; rendezvous data and done messages go by the number alone. Messages
from before the ranks' last agreement are dropped. Sends and receives carry zeros there, as engines of another make do,
whose messages no collective takes.

**A collective that fails** breaks its communicator: the engine tells all members by notices, their calls end with
COLLECTIVE_MISMATCH, and further collectives are refused with it, until all members have placed the config call recover.
It has them agree on a number, drops what is on its way in the communicator, sends that nobody has received included,
and leaves other communicators alone. Members agree like that, but drop nothing, before their first collective and before the next one after
reset_periph; numbers outlive a reset.

**What is not seen.** Calls that agree in all of the above are one collective, as in MPI, also where a rank has left one
out. Data that an RDMA stack writes into announced memory by itself has no header. Where messages can be lost, notices
can be, too: the calls of a rank that was not told end with RECEIVE_TIMEOUT, and Recover that fails is called again.
The hash has 13 bits.`
