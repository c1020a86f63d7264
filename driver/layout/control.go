package layout

// Control protocols of kernels.
const (
	Handshake   = "ap_ctrl_hs"    // it is started, and says once when it is done
	Chain       = "ap_ctrl_chain" // the same, until somebody has taken that it is done
	FreeRunning = "ap_ctrl_none"
	UserManaged = "user_managed" // its registers are its own
)

// Called reports whether hosts call kernels of a control protocol: they have a register
// named control that starts them.
func Called(control string) bool { return control == Handshake || control == Chain }

// Called reports whether hosts call the kernel.
func (k Kernel) Called() bool { return Called(k.Control) }
