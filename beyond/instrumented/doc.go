// Package instrumented is step 13 measured from inside: statistics of what a
// render does, timers that know bytes and operations, the time inside one API, and
// the functions that are phases to a sampling profiler. Each mark stands where the
// document that its instrument comes from would have it.
//
// The picture is that of step 13, to the byte. An instrument that is not asked for
// costs a test of a nil pointer at each of its marks. What has no marks is imported.
package instrumented
