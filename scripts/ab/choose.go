package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
)

// choose finds misuses of the flags, and completes the two versions.
func (c *comparison) choose() error {
	old, now := &c.versions[before], &c.versions[after]
	builds := old.toolchain != now.toolchain || old.flags != now.flags
	_, pattern := regexp.Compile(c.bench)
	info, folder := os.Stat(c.dir)
	switch {
	case pattern != nil:
		return cli.Misuse("-bench: %w", pattern)
	case folder != nil || !info.IsDir():
		return cli.Misuse("-C %s: no such folder; want one of a Go module", c.dir)
	case !c.readProcessors() || c.limit <= 0 || !(c.within > 0): // NaN is not
		return cli.Misuse("-cpu %s -time %v -within %v: want numbers above 0", c.cpu, c.limit, c.within)
	case !(c.over >= 0):
		return cli.Misuse("-fail-over %v: want 0 percent or more", c.over)
	case !(c.canary >= 0 && c.canary <= 100):
		return cli.Misuse("-canary %v: want 0 to 100 percent", c.canary)
	case c.canary > 0 && c.cpu != "1":
		return cli.Misuse("-canary %v -cpu %s: work is planted in benchmarks on one processor; want -cpu 1", c.canary, c.cpu)
	}
	if absolute, err := filepath.Abs(c.dir); err == nil {
		c.dir = absolute
	}
	if c.counts {
		if err := cachegrind.Installed(); err != nil {
			return cli.Misuse("-counts: %w", err)
		}
	}
	if c.single() {
		return c.chooseOne(builds)
	}
	if old.revision == "" && builds {
		old.revision = now.revision
	} else if old.revision == "" {
		old.revision = "HEAD"
	}
	return nil
}

// single reports whether one version is measured, in two sides or more.
func (c *comparison) single() bool { return c.places || c.floor || c.canary > 0 }

// chooseOne does what choose does for -places, -floor and -canary, which measure one version.
func (c *comparison) chooseOne(builds bool) error {
	old, now := &c.versions[before], &c.versions[after]
	two := c.places && c.floor || (c.places || c.floor) && c.canary > 0
	limits := c.failAllocs || !math.IsInf(c.over, 1)
	switch {
	case two || builds || old.revision != "" || c.counts:
		return cli.Misuse("-places, -floor and -canary are for one version, and one of them at a time; want -with at the most, and none of -against, -old-go, -new-go, -old-flags, -new-flags, -counts")
	case (c.places || c.floor) && limits || c.places && c.json:
		return cli.Misuse("-places and -floor hold no limit; want none of -fail-over, -fail-allocs, nor -json with -places")
	}
	old.revision = now.revision
	if c.places {
		now.flags, c.m.TargetOrders = align, wantedOrders/4
	}
	return nil
}

// readProcessors reads the list of GOMAXPROCS.
func (c *comparison) readProcessors() bool {
	for text := range strings.SplitSeq(c.cpu, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return false
		}
		c.processors = append(c.processors, n)
	}
	return true
}
