"use strict";

// A chart that can be asked for its values, by pointer and by keyboard. A series has a color and
// a shape of its own; another machine has hollow marks and dashes.
(() => {
	const { make } = book;
	const shapes = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-4-4h8v8h-8z", "M0-5l5 8.5h-10z", "M0-5.5l5 5.5l-5 5.5l-5-5.5z",
		"M0 5l5-8.5h-10z", "M-1.5-5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", "M-5-2h10v4h-10z", "M-2-5h4v10h-4z"];
	const dashes = ["", "6 4", "2 3", "9 3 2 3"];

	// symbol is the mark of a series of a machine.
	const symbol = (series, machine, attributes) => make("path", { d: shapes[series % 8], class: "mark c" + series % 8,
		fill: machine ? "var(--paper)" : "currentColor", stroke: "currentColor", "stroke-width": 2, ...attributes });
	const key = (series, machine) => {
		const svg = make("svg", { class: "key", viewBox: "-8 -8 16 16", width: 16, height: 16, "aria-hidden": "true" });
		svg.append(symbol(series, machine, {}));
		return svg;
	};

	// flat has the series of all machines over one axis: places with names are those of the
	// first machine, and then what others have besides.
	function flat(c) {
		const first = c.Machines[0].Figure;
		const axis = first.X.Names && [...new Set(c.Machines.flatMap(m => m.Figure.X.Names))];
		const point = (m, s) => (p, i) => ({ x: axis ? axis.indexOf(m.Figure.X.Names[p.X]) : p.X, label: p.Label,
			v: p.Center, lo: p.Lo, hi: p.Hi, text: p.Text, joined: i < s.Joined });
		const machines = c.Machines.map(m => ({ ...m, lines: m.Figure.Series.map(s => ({ name: s.Name, points: s.Points.map(point(m, s)) })) }));
		return { title: c.Title, x: first.X.Title, y: first.Y.Title, linear: c.Linear, even: first.X.Linear, axis, machines };
	}

	function number(v) {
		for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (v >= size) return +(v / size).toPrecision(3) + unit;
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
		const lo = c.even ? xs[0] - 1 : Math.log(xs[0] / 1.15), hi = c.even ? xs.at(-1) + 1 : Math.log(xs.at(-1) * 1.15);
		return { at: v => left + (place(v) - lo) / (hi - lo) * (right - left), ticks: xs.map(v => [v, number(v)]) };
	}

	// upward is the same from below, with levels at round numbers.
	function upward(c, points, top, bottom) {
		const low = Math.min(...points.map(p => p.lo)), high = Math.max(...points.map(p => p.hi));
		const up = c.linear ? v => v : Math.log, room = 0.08 * (high - low) || 0.1; // of values that are all the same, too
		const lo = c.linear ? low - room : Math.log(low / 1.15), hi = c.linear ? high + room : Math.log(high * 1.15);
		const levels = [];
		if (c.linear) {
			const rough = (hi - lo) / 5, power = 10 ** Math.floor(Math.log10(rough));
			const by = [1, 2, 5, 10].find(d => d * power >= rough) * power;
			for (let v = Math.ceil(lo / by) * by; v <= hi; v += by) levels.push(+v.toPrecision(6));
		} else {
			const few = hi - lo > 7 ? [1] : [1, 2, 5], many = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9];
			for (let e = Math.floor(lo / Math.LN10); e <= hi / Math.LN10; e++) {
				for (const d of hi - lo > 1.2 ? few : many) levels.push(+`${d}e${e}`);
			}
		}
		return { at: v => bottom - (up(v) - lo) / (hi - lo) * (bottom - top), levels: levels.filter(v => up(v) >= lo && up(v) <= hi) };
	}

	function grid(svg, x, y, [left, right, top, bottom]) {
		for (const v of y.levels) {
			svg.append(make("line", { class: "grid", x1: left, x2: right, y1: y.at(v), y2: y.at(v) }),
				make("text", { x: left - 8, y: y.at(v) + 4, "text-anchor": "end" }, number(v)));
		}
		const free = [-1e9, -1e9]; // labels do not run into each other: there are two rows
		for (const [v, label] of x.ticks) {
			const at = x.at(v), room = label.length * 4 + 3;
			svg.append(make("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }));
			const row = free.findIndex(end => at - room >= end);
			if (row < 0) continue;
			svg.append(make("text", { x: at, y: bottom + 18 + 15 * row, "text-anchor": "middle" }, label));
			free[row] = at + room;
		}
	}

	// lines draws the series and returns their marks.
	function draw(svg, lines, x, y) {
		const marks = [];
		for (const l of lines) {
			const style = { class: "c" + l.series % 8, stroke: "currentColor", fill: "none", "stroke-width": 1.5 };
			const joined = l.points.filter(p => p.joined).map(p => `${x.at(p.x)},${y.at(p.v)}`);
			if (joined.length > 1) svg.append(make("path", { ...style, "stroke-dasharray": dashes[l.place % 4], d: "M" + joined.join("L") }));
			for (const point of l.points) {
				const px = x.at(point.x), py = y.at(point.v);
				if (point.hi > point.lo) svg.append(make("line", { ...style, x1: px, x2: px, y1: y.at(point.lo), y2: y.at(point.hi) }));
				const dot = symbol(l.series, l.place, { transform: `translate(${px} ${py})` });
				svg.append(dot);
				marks.push({ line: l, point, px, py, dot });
			}
		}
		return marks;
	}

	// ask lets a reader choose a mark, and says what it is.
	function ask(svg, marks, cursor, several, readout) {
		let active = -1;
		const place = (m, size) => m.dot.setAttribute("transform", `translate(${m.px} ${m.py}) scale(${size})`);
		const say = o => [key(o.line.series, o.line.place), ` ${o.line.name}${several ? ", " + o.line.machine : ""}: `];
		const select = i => {
			if (active >= 0) place(marks[active], 1);
			active = i;
			const m = marks[i];
			place(m, 1.7);
			cursor.setAttribute("x1", m.px);
			cursor.setAttribute("x2", m.px);
			const others = marks.filter(o => o !== m && o.point.x === m.point.x);
			readout.replaceChildren(make("div", {}, make("b", {}, m.point.label), " · ", ...say(m), make("b", {}, m.point.text)),
				...(others.length > 7 ? [] : others.map(o => make("div", {}, ...say(o), o.point.text))));
		};
		svg.onpointermove = svg.onpointerdown = e => {
			const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
			const px = (e.clientX - box.left) * scale, py = (e.clientY - box.top) * scale;
			const far = m => Math.abs(m.px - px) * 8 + Math.abs(m.py - py); // the column first
			select(marks.reduce((best, m, i) => far(m) < far(marks[best]) ? i : best, 0));
		};
		svg.onfocus = () => { if (active < 0) select(0); };
		svg.onkeydown = e => {
			const m = marks[Math.max(0, active)], row = marks.filter(o => o.line === m.line);
			const column = marks.filter(o => o.point.x === m.point.x).sort((a, b) => b.point.v - a.point.v);
			const go = { ArrowRight: [row, 1], ArrowLeft: [row, -1], ArrowUp: [column, -1], ArrowDown: [column, 1],
				Home: [row, -1e9], End: [row, 1e9] }[e.key];
			if (!go) return;
			e.preventDefault();
			const [list, by] = go, at = list.indexOf(m) + by;
			select(marks.indexOf(list[Math.max(0, Math.min(list.length - 1, at))]));
		};
	}

	// chosen are the lines that are drawn of what is shown.
	function chosen(c, names, shown) {
		return c.machines.flatMap((m, place) => !shown.machines.has(m) ? [] : m.lines.filter(l => shown.lines.has(l.name)).map(l => ({
			name: l.name, machine: m.Name, place, series: names.indexOf(l.name), points: l.points.filter(p => !c.axis || shown.places.has(p.x)),
		}))).filter(l => l.points.length);
	}

	function render(c, names, shown, picture, readout) {
		const lines = chosen(c, names, shown), points = lines.flatMap(l => l.points);
		if (!lines.length) {
			picture.replaceChildren(make("p", { class: "note" }, "Nothing is chosen."));
			readout.replaceChildren();
			return;
		}
		const width = Math.max(280, picture.clientWidth), height = Math.min(460, Math.max(280, width * 0.55));
		const [left, right, top, bottom] = [56, width - 16, 12, height - 42];
		const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "img",
			"aria-label": `${c.title}. Arrow keys go from value to value; a table has them all.` });
		const x = across(c, points, left, right), y = upward(c, points, top, bottom);
		const cursor = make("line", { class: "cursor", y1: top, y2: bottom, x1: -9, x2: -9 });
		grid(svg, x, y, [left, right, top, bottom]);
		svg.append(cursor);
		ask(svg, draw(svg, lines, x, y), cursor, c.machines.length > 1, readout);
		picture.replaceChildren(svg, make("p", { class: "note" }, `${c.x}; upward: ${c.y}${c.linear ? "" : ", logarithmic"}`));
		const bars = points.some(p => p.hi > p.lo);
		readout.replaceChildren(make("span", { class: "note" },
			bars ? "A bar through a mark is the 95 % interval." : "No intervals: they take several link orders."));
	}

	function boxes(title, set, items, draw) {
		if (items.length < 2) return "";
		const box = value => make("input", { type: "checkbox", checked: set.has(value),
			onchange: e => { e.target.checked ? set.add(value) : set.delete(value); draw(); } });
		return make("fieldset", {}, make("legend", {}, title), ...items.map(([value, ...label]) => make("label", {}, box(value), ...label)));
	}

	// chart draws one into a place, with all that can be chosen, or a legend in its stead.
	book.chart = (place, data, choice) => {
		const c = flat(data), names = [...new Set(c.machines.flatMap(m => m.lines.map(l => l.name)))];
		const first = c.machines.filter(m => m.Shown);
		const shown = { lines: new Set(names), machines: new Set(choice ? first : first.slice(0, 1)), places: new Set((c.axis || []).keys()) };
		const picture = make("div"), readout = make("div", { class: "readout", role: "status" });
		const redraw = () => render(c, names, shown, picture, readout);
		const lines = names.map((n, i) => [n, key(i, 0), n]);
		const machines = c.machines.map((m, i) => [m, key(0, i), make("span", { title: m.Figure.Caption }, m.Name)]);
		place.replaceChildren(make("div", { class: "controls" }, ...choice ? [boxes("Lines", shown.lines, lines, redraw),
			boxes("Machines", shown.machines, machines, redraw), boxes(c.x, shown.places, (c.axis || []).map((s, i) => [i, s]), redraw)]
			: lines.map(([, ...label]) => make("span", {}, ...label))), picture, readout);
		redraw();
		let width = picture.clientWidth;
		new ResizeObserver(() => {
			if (Math.abs(picture.clientWidth - width) <= 2) return;
			width = picture.clientWidth;
			redraw();
		}).observe(picture);
	};
})();
