package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual returns a page with all commands, in the macros of man(7).
func Manual(root *cobra.Command) string {
	var r roff
	r.macro("TH", "CALFACADE", "1", "", "calfacade", "User Commands")
	r.macro("SH", "NAME")
	r.line(`calfacade \- ` + roffText(strings.TrimPrefix(root.Short, "calfacade ")))
	r.macro("SH", "SYNOPSIS")
	r.line(`\fBcalfacade\fR \fICOMMAND\fR [\fIflags\fR]`)
	r.macro("SH", "DESCRIPTION")
	r.lines(`A configuration in YAML names the sites; the commands that need one read it from --config FILE. The
demo needs none.`, roffText)
	for _, g := range root.Groups() {
		r.macro("SH", strings.ToUpper(g.Title))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				r.command(c)
			}
		}
	}
	r.macro("SH", "EXIT STATUS")
	r.line("All commands: " + usageExit + ". The others are named with each command.")
	r.macro("SH", "ENVIRONMENT")
	r.tag(`\fBCALFACADE_\fIKEY\fR`, "Overrides a key of the configuration: CALFACADE_UPSTREAM_TIMEOUT is upstream.timeout.")
	r.tag(`\fBNO_COLOR\fR`, "If it is not empty, nothing is shown in colours.")
	r.tag(`\fBOTEL_\fR...`, "Configures the export of traces, as OpenTelemetry specifies.")
	return r.text.String()
}

// roff is a page in the making.
type roff struct{ text strings.Builder }

func (r *roff) macro(name string, args ...string) {
	r.text.WriteString("." + name)
	for _, arg := range args {
		fmt.Fprintf(&r.text, " %q", arg)
	}
	r.text.WriteString("\n")
}

// line writes a line that is escaped already.
func (r *roff) line(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text // else it would be a macro
	}
	r.text.WriteString(text + "\n")
}

func (r *roff) lines(text string, escape func(string) string) {
	for line := range strings.SplitSeq(text, "\n") {
		r.line(escape(line))
	}
}

func (r *roff) paragraph(text string) {
	r.macro("PP")
	r.lines(text, roffText)
}

// tag writes a paragraph below a term.
func (r *roff) tag(term, text string) {
	r.macro("TP")
	r.line(term)
	r.lines(text, roffText)
}

func (r *roff) command(c *cobra.Command) {
	r.macro("SS", c.CommandPath())
	r.line(`\fB` + roffCode(c.UseLine()) + `\fR`)
	r.paragraph(c.Short + ".")
	for text := range strings.SplitSeq(c.Long, "\n\n") {
		if text != "" {
			r.paragraph(text)
		}
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		term := `\fB` + roffCode("--"+f.Name) + `\fR`
		if name != "" {
			term += ` \fI` + roffCode(name) + `\fR`
		}
		if HasDefault(f) {
			usage += " (default " + f.DefValue + ")"
		}
		r.tag(term, usage)
	})
	r.macro("PP")
	r.line("Exit status: " + roffText(ExitStatus(c)) + ".")
	r.macro("PP")
	r.macro("EX")
	r.lines(c.Example, roffCode)
	r.macro("EE")
}

// HasDefault reports whether a flag that is not set has an effect.
func HasDefault(f *pflag.Flag) bool {
	return !slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue)
}

// roffText escapes text.
func roffText(text string) string { return strings.NewReplacer(`\`, `\e`, "--", `\-\-`).Replace(text) }

// roffCode escapes what a reader copies into a shell, which some devices typeset otherwise.
func roffCode(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`).Replace(text)
}
