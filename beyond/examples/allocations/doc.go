// Package allocations holds what a page measures about the heap: five ways in which a service
// allocates without meaning to, each with one that does not, and what the collector costs by
// its two settings.
package allocations
