package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// worker is the script by which a browser keeps a site.
const worker = "offline.js"

// offline is the worker of a site. It stands at the top, since it answers for what is beneath it,
// and begins with what it keeps from the first visit on: all but the source and the programs of a
// tab, most of which a reader never opens. Its name changes with the site.
func offline(sums map[string][sha256.Size]byte) []byte {
	whole := sha256.New()
	var kept []string
	for _, address := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[address]
		whole.Write(sum[:])
		if !strings.HasPrefix(address, "src/") && !strings.HasSuffix(address, ".gz") {
			kept = append(kept, address)
		}
	}
	script, _ := assets.ReadFile("assets/" + worker) // which is embedded
	return fmt.Appendf(nil, "\"use strict\";\nconst version = \"%x\", pages = `%s`.split(\" \");\n%s",
		whole.Sum(nil)[:8], strings.Join(kept, " "), script)
}
