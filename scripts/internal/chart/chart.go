// Package chart draws figures of measurements as SVG, in one style.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func init() {
	// The typeface is what text is measured with; readers see one of their own.
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
}

// Sizes of all charts, in points. A chart is about as wide as the text of a
// page.
const (
	chartWidth  vg.Length = 540
	chartHeight vg.Length = 340
	chartMargin vg.Length = 8
	textSize    vg.Length = 13
	lineWidth   vg.Length = 2
)

// palette is that of Okabe and Ito, whose colors stay apart for color-blind
// readers, without black, which is for text, and yellow, which is too light.
var palette = []color.Color{
	color.NRGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
	color.NRGBA{0x00, 0x9e, 0x73, 0xff}, // green
	color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, // purple
	color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

var (
	ink  = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	pale = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// newPlot returns an empty plot with the titles of its axes.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	dress := func(axis *plot.Axis, title string) {
		axis.Label.Text = title
		axis.Label.TextStyle.Font.Size = textSize
		axis.Label.TextStyle.Color = ink
		axis.Label.Padding = 4
		axis.Tick.Label.Font.Size = textSize
		axis.Tick.Label.Color = ink
		axis.Tick.Color, axis.Color = ink, ink
		axis.Padding = 0
	}
	dress(&p.X, x)
	dress(&p.Y, y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	p.Add(grid)
	return p
}

// decimalTicks returns 1, 2, 5, 10 and so on, or other digits in each power of ten,
// from the last that is not above lo to the first that is not below hi. Both must be
// above 0.
func decimalTicks(lo, hi float64, digits ...float64) []plot.Tick {
	var ticks []plot.Tick
	for exponent := int(math.Floor(math.Log10(lo))) - 1; ; exponent++ {
		for _, digit := range digits {
			// Parsing rounds well: 5 times 1e-3 may be a neighbor of 0.005.
			value, _ := strconv.ParseFloat(fmt.Sprintf("%ge%d", digit, exponent), 64)
			label := strconv.FormatFloat(value, 'f', -1, 64)
			if value >= 1e3 {
				label = strings.ReplaceAll(humanize.SIWithDigits(value, 0, ""), " ", "") // 10k
			}
			if value <= lo {
				ticks = nil
			}
			if ticks = append(ticks, plot.Tick{Value: value, Label: label}); value >= hi {
				return ticks
			}
		}
	}
}

// textStyle is that of text within a chart. It begins at its place, and not
// around it or before it, so that it stays there in a reader's typeface.
func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.From(plot.DefaultFont, size),
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

// wider is how much wider a reader's typeface may be than the one that text is
// measured with.
const wider = 1.2

// SVG draws a plot on white, so that it can be read on any page, below its legend.
func svg(p *plot.Plot, legend []legendEntry, height vg.Length) ([]byte, error) {
	image := vgsvg.New(chartWidth, height)
	canvas := draw.New(image)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	p.BackgroundColor = nil
	canvas = draw.Crop(canvas, chartMargin, -chartMargin, chartMargin, -chartMargin)
	canvas = drawLegend(canvas, legend)
	// The plot would keep room for the titles of the axes at their arithmetic
	// middle, which is near the end of a logarithmic one.
	x, y := p.X.Label, p.Y.Label
	p.X.Label.Text, p.Y.Label.Text = "", ""
	inner := draw.Crop(canvas, y.TextStyle.Height(y.Text)+y.Padding, 0, x.TextStyle.Height(x.Text)+x.Padding, 0)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	canvas.FillText(x.TextStyle, vg.Point{X: data.Center().X, Y: canvas.Min.Y}, x.Text)
	upward := y.TextStyle
	upward.Rotation += math.Pi / 2
	canvas.FillText(upward, vg.Point{X: canvas.Min.X + upward.FontExtents().Ascent, Y: data.Center().Y}, y.Text)
	var b bytes.Buffer
	if _, err := image.WriteTo(&b); err != nil {
		return nil, err
	}
	// Helvetica and Arial are as wide as Liberation Sans.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Helvetica,Arial,sans-serif;")), nil
}
