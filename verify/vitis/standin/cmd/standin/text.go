package main

import (
	"maps"
	"slices"
	"strings"
)

// stamp is the date in all that stand-ins write: their outputs depend on nothing but
// their inputs.
const stamp = "Fri Oct 13 20:13:54 2023"

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// release is what a version says of itself.
type release struct{ vitis, vivado, xrt string }

// releases are the builds of the versions: those of public logs where there were
// any, else 0.
var releases = map[string]release{
	"2022.1": {"3524075 on 2022-04-13-17:42:45", "3526262 on Mon Apr 18 15:47:01 MDT 2022", "2.13.466"},
	"2022.2": {"3671529 on 2022-10-13-17:52:11", "3671981 on Fri Oct 14 04:59:54 MDT 2022", "2.14.354"},
	"2023.1": {"3860322 on 2023-05-04-06:32:48", "3865809 on Sun May  7 15:04:56 MDT 2023", "2.15.225"},
	"2023.2": {"4026344 on 2023-10-11-15:42:10", "4029153 on Fri Oct 13 20:13:54 MDT 2023", "2.16.204"},
	"2024.1": {"5074859 on 2024-05-20-23:21:20", "5076996 on Wed May 22 18:36:09 MDT 2024", "2.17.319"},
	"2024.2": {"5238294 on 2024-11-13-00:00:00", "5239630 on Fri Nov 08 22:34:34 MST 2024", "2.18.179"},
	"2025.1": {"6140274 on 2025-05-21-00:00:00", "6140274 on Thu May 22 00:12:29 MDT 2025", "2.19.194"},
}

func releaseOf(version string) release {
	if r, ok := releases[version]; ok {
		return r
	}
	return release{"0 on 2026-01-01-00:00:00", "0 on Thu Jan 01 00:00:00 MDT 2026", "2.99.0"}
}

// copyrightLines as the tools print them.
func copyrightLines(version string) string {
	year, _, _ := strings.Cut(version, ".")
	return "    ** Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.\n    ** Copyright 2022-" + year +
		" Advanced Micro Devices, Inc. All Rights Reserved.\n"
}
