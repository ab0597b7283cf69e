package main

import "raysteps/scripts/internal/launch"

func experiment(m *measurement, l *launch.Linker, pkg, folder string, chosen []string) *unit {
	return nil
}
