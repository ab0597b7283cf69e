package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// link returns the address of a file of the module, given by its path from the root,
// as a link in the page of a directive has to name it.
func link(c *page.Call, file string) string {
	return strings.Repeat("../", strings.Count(c.Page, "/")) + file
}

func (s *site) listing(c *page.Call) (string, error) {
	file := c.Get("file")
	text, line, err := source.Listing(s.root, file, c.Get("doc") == "", c.List("decl")...)
	c.Fail(err)
	address := link(c, file)
	if line > 0 { // of the first declaration
		address += fmt.Sprint("#L", line)
	}
	paragraphs := matching(c, strings.Split(text, "\n\n"))
	language := map[string]string{".go": "go", ".s": "asm"}[path.Ext(file)]
	return fmt.Sprintf("[%s](%s)\n\n%s", file, address, page.Fence(language, strings.Join(paragraphs, "\n\n"))), nil
}

// matching returns those of the paragraphs or lines that a directive wants.
func matching(c *page.Call, texts []string) []string {
	match, err := regexp.Compile(c.Get("match"))
	if err != nil {
		c.Fail(err)
		return nil
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return !match.MatchString(text) })
	if len(texts) == 0 {
		c.Fail(fmt.Errorf("nothing matches %s there; want a match that fits", match))
	}
	return texts
}

func (s *site) diff(c *page.Call) (string, error) {
	from, err := steps.Find(c.Get("from"))
	c.Fail(err)
	to, err := steps.Find(c.Get("to"))
	c.Fail(err)
	l, err := source.Diff(s.root, from.Folder(), to.Folder(), source.Published, c.List("file")...)
	if c.Fail(err); l.Patch == "" {
		c.Fail(fmt.Errorf("%s and %s do not differ there; want two steps, and a file that does", c.Get("from"), c.Get("to")))
	}
	return page.Fence("diff", l.Patch), nil
}

// captioned writes a caption on lines of its own. On a page only the first one says all of
// where the figures were measured; a later one says what differs from that, if anything does. That
// code is older each one says, or it would be said of all or of none.
func (s *site) captioned(set *results.Set, text string) string {
	parts := strings.Split(text, ", ")
	switch {
	case set.Local:
		text = "Yours: " + text
	case s.caption == nil:
		s.caption = parts
		if i := slices.IndexFunc(parts, func(part string) bool { return strings.HasPrefix(part, "older code: ") }); i >= 0 {
			s.caption = slices.Concat(parts[:i], parts[len(parts)-1:])
		}
	default:
		parts = slices.DeleteFunc(parts, func(part string) bool { return slices.Contains(s.caption, part) })
		if len(parts) == 0 {
			return ""
		}
		text = "Here: " + strings.Join(parts, ", ")
	}
	return "\n*" + text + "*\n"
}

// measured fills a region by what a machine measured: with prefer=own the reader's, if that
// has it.
func (s *site) measured(fill func(*page.Call, *results.Set) (string, error)) page.Fill {
	return func(c *page.Call) (string, error) {
		if s.own != nil && c.Get("prefer") != "" {
			if text, err := fill(c, s.own); !errors.Is(err, results.ErrNotMeasured) {
				return text, err
			}
		}
		return fill(c, page.Machine(c, s.published))
	}
}

func (s *site) table(c *page.Call, set *results.Set) (string, error) {
	t, err := set.Table(page.Spec(c))
	if err != nil {
		return "", err
	}
	text := t.Markdown()
	for _, step := range steps.All() {
		linked := fmt.Sprintf("| [%s](%s) |", step.Question, link(c, "docs/"+step.Name+".md"))
		text = strings.Replace(text, "| "+step.Question+" |", linked, 1)
	}
	return text + s.captioned(set, t.Caption), nil
}

func (s *site) chart(c *page.Call, set *results.Set) (string, error) {
	fig, err := page.Figure(c, set)
	if err != nil {
		return "", err
	}
	svg, alt, note, err := drawFigure(fig)
	file, title := "docs/charts/"+c.Get("file")+".svg", c.Get("title")
	s.files[file] = svg
	return fmt.Sprintf("![%s](%s)\n\n%s.%s\n%s", alt, link(c, file), title, note, s.captioned(set, fig.Caption)), err
}

func number(c *page.Call, set *results.Set) (string, error) { return set.Number(page.Number(c)) }

// credited finds in a region what made it: a version of Go, and for what.
var credited = regexp.MustCompile(`\*go[0-9][^*\n]*\*`)

// runCommand shows what a command prints, and says which Go made it. A region that
// another Go made is kept: it may well say something else. So is one that this processor cannot
// make.
func (s *site) runCommand(c *page.Call) (string, error) {
	command, by := c.Get("cmd"), "linux/amd64"
	if strings.HasPrefix(command, "go tool pprof ") {
		return s.profile(c, command)
	}
	program := strings.Contains(command, "go run ")
	if program {
		by = "any processor"
	}
	version, _, _ := strings.Cut(runtime.Version(), " ") // behind it, experiments
	credit := fmt.Sprintf("*%s, %s*", version, by)
	if old := credited.FindString(c.Old); old != "" && old != credit {
		s.kept = append(s.kept, fmt.Sprintf("%s keeps what %s printed, since this is %s; there is nothing to do", c.Page, strings.Trim(old, "*"), strings.Trim(credit, "*")))
		return c.Old, nil
	}
	out, err := toolchain.Output(s.root, command)
	c.Fail(err)
	lines := slices.Collect(strings.Lines(out))
	lines = matching(c, slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") }))
	if strings.Contains(strings.Join(lines, ""), "cannot happen here") && c.Old != "" {
		s.kept = append(s.kept, fmt.Sprintf("%s keeps what another processor printed, since this one lacks what it takes; there is nothing to do", c.Page))
		return c.Old, nil
	}
	if !program { // the compiler's order varies
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	return fmt.Sprintf("%s\n\n%s: `%s`", page.Fence("text", strings.Join(lines, "")), credit, typed(command)), nil
}

// profile shows lines of a profile in results. They are those of the profile, whatever Go prints
// them, but for the lines of source, which it reads from the tree.
func (s *site) profile(c *page.Call, command string) (string, error) {
	out, err := toolchain.Output(s.root, command)
	c.Fail(err)
	lines := matching(c, slices.Collect(strings.Lines(out)))
	return fmt.Sprintf("%s\n\n`%s`", page.Fence("text", strings.Join(lines, "")), typed(command)), nil
}

// typed returns a command as a shell takes it.
func typed(command string) string {
	words := strings.Fields(command)
	for i, word := range words {
		if strings.ContainsAny(word, "|$&;<>()*") {
			words[i] = "'" + word + "'"
		}
	}
	return strings.Join(words, " ")
}

// predict asks a question. The figure itself stays out of the page's region: it is measured,
// so that a question without an answer is an error.
func predict(c *page.Call, set *results.Set) (string, error) {
	whose, answer := "Our guess", c.Get("ours")
	if answer == "" {
		whose, answer = "The naive answer", c.Get("estimate")
	}
	if x, _ := strconv.ParseFloat(answer, 64); !(x > 0) {
		return "", fmt.Errorf("the answer is %q; want a number above 0 as ours or as estimate", answer)
	}
	_, err := number(c, set)
	argument := c.Get("argument")
	if argument != "" {
		argument = ". " + argument
	}
	return fmt.Sprintf("- %s <details><summary>%s</summary><b>%s</b>%s</details>", c.Get("ask"), whose, answer, argument), err
}

// predictions has those of all chapters beside what was measured, the worst first, and folded
// those that were nearly right.
func (s *site) predictions(c *page.Call) (string, error) {
	t := results.Table{Header: []string{"step", "question", "ours", "measured", "measured over ours"}, Right: []bool{true, false, true, true, true}}
	far := map[string]float64{} // by how many times an answer was missed, by the question
	for _, step := range steps.All() {
		file := "docs/" + step.Name + ".md"
		text, _ := os.ReadFile(filepath.Join(s.root, file)) // a page that cannot be read fails by itself
		for _, asked := range page.Calls(string(text), "predict") {
			measured, err := s.measured(number)(asked)
			if err != nil {
				return "", fmt.Errorf("%s: %w", file, err)
			}
			question, ours := asked.Get("ask"), asked.Get("ours")
			if ours == "" { // an estimate, which nobody made before the measurement
				continue
			}
			x, _ := strconv.ParseFloat(measured, 64)
			y, _ := strconv.ParseFloat(ours, 64)
			far[question] = max(x/y, y/x)
			chapter := fmt.Sprintf("[%s](%s)", step.Short(), link(c, file))
			t.Rows = append(t.Rows, []string{chapter, question, ours, measured, fmt.Sprintf("%.2f", x/y)})
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Compare(far[b[1]], far[a[1]]) })
	const shown = 7
	if len(t.Rows) <= shown {
		return t.Markdown(), nil
	}
	rest := t
	t.Rows, rest.Rows = t.Rows[:shown], t.Rows[shown:]
	return fmt.Sprintf("%s\n\n<details><summary>The other %d</summary>\n\n%s\n\n</details>",
		strings.TrimSpace(t.Markdown()), len(rest.Rows), strings.TrimSpace(rest.Markdown())), nil
}
