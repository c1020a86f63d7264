package layout

// Control protocols of kernels.
const (
	Handshake   = "ap_ctrl_hs"    // done is set once after each start
	Chain       = "ap_ctrl_chain" // done stays set until the result was taken (ap_continue)
	FreeRunning = "ap_ctrl_none"
	UserManaged = "user_managed" // registers defined by the kernel
)

// Called reports whether hosts call kernels with a control protocol: they have a register
// named control that starts them.
func Called(control string) bool { return control == Handshake || control == Chain }

// Called reports whether hosts call the kernel.
func (k Kernel) Called() bool { return Called(k.Control) }
