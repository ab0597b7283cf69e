"use strict";

// The axes of a chart: where values are, and the grid behind them.
book.axes = (() => {
	const { make } = book;

	// flat has the series of all machines over one axis: places with names are those of the
	// first machine, and then what others have besides.
	function flat(c) {
		const first = c.Machines[0].Figure;
		const axis = first.X.Names && [...new Set(c.Machines.flatMap(m => m.Figure.X.Names))];
		const point = (m, s) => (p, i) => ({
			x: axis ? axis.indexOf(m.Figure.X.Names[p.X]) : p.X,
			label: p.Label,
			v: p.Center,
			lo: p.Lo,
			hi: p.Hi,
			text: p.Text,
			joined: i < s.Joined,
		});
		const machines = c.Machines.map(m => ({
			...m,
			lines: m.Figure.Series.map(s => ({ name: s.Name, points: s.Points.map(point(m, s)) })),
		}));
		return {
			title: c.Title,
			x: first.X.Title,
			y: first.Y.Title,
			linear: c.Linear,
			even: first.X.Linear,
			axis,
			machines,
		};
	}

	function number(v) {
		for (const [size, unit] of [
			[1e9, "G"],
			[1e6, "M"],
			[1e3, "k"],
		])
			if (v >= size) return +(v / size).toPrecision(3) + unit;
		return String(+v.toPrecision(3));
	}

	// across is where places are, from left to right, and which have a label.
	function across(c, points, left, right) {
		const xs = [...new Set(points.map(p => p.x))].sort((a, b) => a - b);
		if (c.axis) {
			const step = (right - left) / xs.length;
			return { at: v => left + (xs.indexOf(v) + 0.5) * step, ticks: xs.map(v => [v, c.axis[v]]) };
		}
		const place = c.even ? v => v : Math.log;
		const lo = c.even ? xs[0] - 1 : Math.log(xs[0] / 1.15),
			hi = c.even ? xs.at(-1) + 1 : Math.log(xs.at(-1) * 1.15);
		return {
			at: v => left + ((place(v) - lo) / (hi - lo)) * (right - left),
			ticks: xs.map(v => [v, number(v)]),
		};
	}

	// upward is the same from below, with levels at round numbers.
	function upward(c, points, top, bottom) {
		const low = Math.min(...points.map(p => p.lo)),
			high = Math.max(...points.map(p => p.hi));
		const up = c.linear ? v => v : Math.log,
			room = 0.08 * (high - low) || 0.1; // of values that are all the same, too
		const lo = c.linear ? low - room : Math.log(low / 1.15),
			hi = c.linear ? high + room : Math.log(high * 1.15);
		const levels = [];
		if (c.linear) {
			const rough = (hi - lo) / 5,
				power = 10 ** Math.floor(Math.log10(rough));
			const by = [1, 2, 5, 10].find(d => d * power >= rough) * power;
			for (let v = Math.ceil(lo / by) * by; v <= hi; v += by) levels.push(+v.toPrecision(6));
		} else {
			const few = hi - lo > 7 ? [1] : [1, 2, 5],
				many = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9];
			for (let e = Math.floor(lo / Math.LN10); e <= hi / Math.LN10; e++) {
				for (const d of hi - lo > 1.2 ? few : many) levels.push(+`${d}e${e}`);
			}
		}
		return {
			at: v => bottom - ((up(v) - lo) / (hi - lo)) * (bottom - top),
			levels: levels.filter(v => up(v) >= lo && up(v) <= hi),
		};
	}

	function grid(svg, x, y, [left, right, top, bottom]) {
		for (const v of y.levels) {
			svg.append(
				make("line", { class: "grid", x1: left, x2: right, y1: y.at(v), y2: y.at(v) }),
				make("text", { x: left - 8, y: y.at(v) + 4, "text-anchor": "end" }, number(v)),
			);
		}
		const free = [-1e9, -1e9]; // labels do not run into each other: there are two rows
		for (const [v, label] of x.ticks) {
			const at = x.at(v),
				room = label.length * 4 + 3;
			svg.append(make("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
			const row = free.findIndex(end => at - room >= end);
			if (row < 0) continue;
			svg.append(make("text", { x: at, y: bottom + 18 + 15 * row, "text-anchor": "middle" }, label));
			free[row] = at + room;
		}
	}

	return { flat, across, upward, grid };
})();
