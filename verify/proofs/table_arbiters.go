package proofs

// arbiters share something among several that ask.
var arbiters = []Proof{
	{
		Name:   "exchange_share",
		Shows:  "a request stays until it is answered, the answer goes to who asked; nobody is passed over twice",
		Design: []string{"ccl_offload/exchange_share.sv"},
		Why:    "all as in the hardware; the address stands for the whole request",
		Depth:  10, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the first client always wins", Old: "(!owner || !first_request.valid)", New: "!first_request.valid"},
			{Name: "the request changes while it waits", Old: "holding ? owner : ", New: ""},
			{Name: "a request without a wait is not noted", Old: "if (exchange_request.valid) owner", New: "if (holding) owner"},
			{Name: "both are answered", Old: "exchange_response.done && !second;", New: "exchange_response.done;"},
			{Name: "it forgets that a request waits", Old: "holding <= exchange_request.valid && !exchange_response.done", New: "holding <= 1'b0"},
		},
	},
}
