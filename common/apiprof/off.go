//go:build noapiprof

package apiprof

// Enabled is false because the program is built with the tag noapiprof. Enter,
// Leave and Flush do nothing and [API.Worker] returns nil.
const Enabled = false
