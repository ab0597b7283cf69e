//go:build !noapiprof

package apiprof

// Enabled is true unless the program is built with the tag noapiprof. Then
// Enter, Leave and Flush do nothing and [API.Worker] returns nil.
const Enabled = true
