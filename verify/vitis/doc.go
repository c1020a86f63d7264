// Package vitis proves builds: platforms are taken to an .xclbin by the plain command,
// with stand-ins for the vendor's tools, and with everything going wrong that can.
package vitis
