// Comes first in a simulation: engines have a probe for the simulation's host.
`define CCLO_SIMULATION
