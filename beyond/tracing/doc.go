// Package tracing is what the packages of beyond share: it traces paths as step 12 or
// step 13 does, to the byte, with any hit test, and has copies of what step 13 keeps
// to itself.
package tracing
