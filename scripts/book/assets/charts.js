"use strict";

// Charts of measurements that can be asked for their values, by pointer and by
// keyboard. A color is a line, a dash pattern and a hollow mark another machine.
(async () => {
	const { make, load } = book;
	const places = [...document.querySelectorAll("[data-chart]")];
	let all;
	try {
		all = await load("charts");
	} catch (e) {
		places.forEach(p => p.replaceChildren(make("p", { class: "error" }, e.message)));
		return;
	}
	for (const place of places) {
		const c = all.find(c => c.ID === place.dataset.chart);
		if (c.Machines.length) chart(place, flat(c));
	}
	if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();

	// flat has the series of all machines over one axis: places with names are those
	// of the first machine, and then what others have besides.
	function flat(c) {
		const first = c.Machines[0].Figure, axis = first.X.Names && [...new Set(c.Machines.flatMap(m => m.Figure.X.Names))];
		const machines = c.Machines.map(m => ({ ...m, Lines: m.Figure.Series.map(s => ({ name: s.Name, joined: s.Joined, bare: s.Bare,
			points: s.Points.map((p, i) => ({ x: axis ? axis.indexOf(m.Figure.X.Names[p.X]) : p.X, label: p.Label, v: p.Center, lo: p.Lo, hi: p.Hi, text: p.Text, joined: i < s.Joined })) })) }));
		return { Title: c.Title, X: first.X.Title, Y: first.Y.Title, Linear: c.Linear, Flat: first.X.Linear, Axis: axis, Machines: machines };
	}

	function dashes() { return ["", "6 4", "2 3", "9 3 2 3"]; }

	function number(v) {
		for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (v >= size) return +(v / size).toPrecision(3) + unit;
		return String(+v.toPrecision(3));
	}

	function chart(place, c) {
		const names = [...new Set(c.Machines.flatMap(m => m.Lines.map(l => l.name)))];
		const shown = {
			lines: new Set(names),
			machines: new Set(c.Machines.filter(m => m.Shown)),
			steps: new Set((c.Axis || []).keys()),
		};
		const picture = make("div"), readout = make("div", { class: "readout", role: "status" });
		const boxes = (title, set, items) => items.length < 2 ? "" : make("fieldset", {}, make("legend", {}, title),
			...items.map(([value, ...label]) => make("label", {}, make("input", {
				type: "checkbox", checked: set.has(value),
				onchange: e => { e.target.checked ? set.add(value) : set.delete(value); draw(); },
			}), ...label)));
		place.replaceChildren(
			make("div", { class: "controls" },
				boxes("Lines", shown.lines, names.map((n, i) => [n, make("span", { class: `key full c${i % 8}` }), n])),
				boxes("Machines", shown.machines, c.Machines.map((m, i) => [m, make("span", { class: i ? "key" : "key full" }), make("span", { title: m.Figure.Caption }, m.Name)])),
				boxes(c.X, shown.steps, (c.Axis || []).map((s, i) => [i, s]))),
			picture, readout);

		let marks = [], active = -1; // marks: {line, machine, point, px, py}
		function draw() {
			marks = [];
			active = -1;
			const width = Math.max(280, picture.clientWidth), height = Math.min(460, Math.max(280, width * 0.55));
			const left = 56, right = 16, top = 12, bottom = 42;
			const lines = [];
			c.Machines.forEach((m, k) => shown.machines.has(m) && m.Lines.forEach(l => {
				const points = l.points.filter(p => !c.Axis || shown.steps.has(p.x));
				if (shown.lines.has(l.name) && points.length) lines.push({ ...l, points, machine: m, k, color: names.indexOf(l.name) % 8 });
			}));
			if (!lines.length) {
				picture.replaceChildren(make("p", { class: "note" }, "Nothing is chosen."));
				readout.replaceChildren();
				return;
			}
			const points = lines.flatMap(l => l.points);
			let xs = [...new Set(points.map(p => p.x))].sort((a, b) => a - b);
			let x, ticks;
			if (c.Axis) {
				const step = (width - left - right) / xs.length;
				x = v => left + (xs.indexOf(v) + 0.5) * step;
				ticks = xs.map(v => [v, c.Axis[v]]);
			} else {
				const place = c.Flat ? v => v : Math.log, wide = lines.some(l => l.bare);
				const lo = c.Flat ? xs[0] - 1 : Math.log(xs[0] / 1.15), hi = c.Flat ? xs[xs.length - 1] + 1 : Math.log(xs[xs.length - 1] * 1.15);
				x = v => left + (place(v) - lo) / (hi - lo) * (width - left - right);
				ticks = (wide ? [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16].filter(v => place(v) > lo && place(v) < hi) : xs).map(v => [v, number(v)]);
			}
			const ylo = Math.min(...points.map(p => p.lo)), yhi = Math.max(...points.map(p => p.hi));
			const up = c.Linear ? v => v : Math.log;
			const room = 0.08 * (yhi - ylo) || 0.1; // of values that are all the same, too
			const lo = c.Linear ? ylo - room : Math.log(ylo / 1.15), hi = c.Linear ? yhi + room : Math.log(yhi * 1.15);
			const y = v => height - bottom - (up(v) - lo) / (hi - lo) * (height - top - bottom);
			const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "img",
				"aria-label": `${c.Title}. Arrow keys go from value to value; the tables beneath have them all.` });

			const digits = hi - lo > 7 ? [1] : hi - lo > 1.2 ? [1, 2, 5] : [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9];
			const levels = [];
			if (c.Linear) {
				const rough = (hi - lo) / 5, power = 10 ** Math.floor(Math.log10(rough)), by = [1, 2, 5, 10].find(d => d * power >= rough) * power;
				for (let v = Math.ceil(lo / by) * by; v <= hi; v += by) levels.push(+v.toPrecision(6));
			} else {
				for (let e = Math.floor(lo / Math.LN10); e <= hi / Math.LN10; e++) for (const d of digits) levels.push(+`${d}e${e}`);
			}
			for (const v of levels) {
				if (up(v) < lo || up(v) > hi) continue;
				svg.append(make("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
					make("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, number(v)));
			}
			const free = [-1e9, -1e9]; // labels do not run into each other: there are two rows
			for (const [v, label] of ticks) {
				const at = x(v), room = label.length * 4 + 3;
				svg.append(make("line", { class: "grid", x1: at, x2: at, y1: top, y2: height - bottom }));
				const row = free.findIndex(end => at - room >= end);
				if (row < 0) continue;
				svg.append(make("text", { x: at, y: height - bottom + 18 + 15 * row, "text-anchor": "middle" }, label));
				free[row] = at + room;
			}
			const cursor = make("line", { class: "cursor", y1: top, y2: height - bottom, x1: -9, x2: -9 });
			svg.append(cursor);
			for (const l of lines) {
				const style = { class: "c" + l.color, stroke: "currentColor", fill: "none", "stroke-width": 2, "stroke-dasharray": dashes()[l.k % 4] };
				const joined = l.points.filter(p => p.joined);
				if (joined.length > 1) svg.append(make("path", { ...style, "stroke-width": l.bare ? 2 : 1.5, d: "M" + joined.map(p => `${x(p.x)},${y(p.v)}`).join("L") }));
				for (const p of l.points) {
					const px = x(p.x), py = y(p.v);
					if (p.hi > p.lo) svg.append(make("line", { ...style, "stroke-dasharray": "", x1: px, x2: px, y1: y(p.lo), y2: y(p.hi) }));
					const dot = make("circle", { ...style, "stroke-dasharray": "", cx: px, cy: py, r: 4, fill: l.k ? "var(--paper)" : "currentColor" });
					svg.append(dot);
					marks.push({ line: l, point: p, px, py, dot });
				}
			}
			const select = i => {
				if (active >= 0) marks[active].dot.setAttribute("r", 4);
				active = i;
				const m = marks[i];
				m.dot.setAttribute("r", 7);
				cursor.setAttribute("x1", m.px);
				cursor.setAttribute("x2", m.px);
				const others = marks.filter(o => o !== m && o.point.x === m.point.x && !o.line.bare);
				const say = o => [make("span", { class: `key c${o.line.color}${o.line.k ? "" : " full"}` }), ` ${o.line.name}${c.Machines.length > 1 ? ", " + o.line.machine.Name : ""}: `];
				readout.replaceChildren(make("div", {}, make("b", {}, m.point.label), " · ", ...say(m), make("b", {}, m.point.text)),
					...(others.length > 7 ? [] : others.map(o => make("div", {}, ...say(o), o.point.text))));
			};
			svg.onpointermove = svg.onpointerdown = e => {
				const box = svg.getBoundingClientRect(), px = (e.clientX - box.left) * width / box.width, py = (e.clientY - box.top) * height / box.height;
				let best = 0;
				marks.forEach((m, i) => {
					const d = o => Math.abs(o.px - px) * (o.line.points.length > 1 ? 8 : 1) + Math.abs(o.py - py); // the column first
					if (d(m) < d(marks[best])) best = i;
				});
				select(best);
			};
			svg.onfocus = () => { if (active < 0) select(0); };
			svg.onkeydown = e => {
				const m = marks[Math.max(0, active)], row = marks.filter(o => o.line === m.line);
				const column = marks.filter(o => o.line.points.length > 1 ? o.point.x === m.point.x : true).sort((a, b) => b.point.v - a.point.v);
				const go = { ArrowRight: [row, 1], ArrowLeft: [row, -1], ArrowUp: [column, -1], ArrowDown: [column, 1], Home: [row, -1e9], End: [row, 1e9] }[e.key];
				if (!go) return;
				e.preventDefault();
				const [list, by] = go, at = list.indexOf(m) + by;
				select(marks.indexOf(list[Math.max(0, Math.min(list.length - 1, at))]));
			};
			picture.replaceChildren(svg, make("p", { class: "note" }, `${c.X}; upward: ${c.Y}${c.Linear ? "" : ", logarithmic"}`));
			readout.replaceChildren(make("span", { class: "note" }, lines.some(l => l.points.some(p => p.hi > p.lo)) ? "A bar through a mark is the 95 % interval." : "No intervals: they take several link orders."));
		}
		draw();
		let width = picture.clientWidth;
		new ResizeObserver(() => {
			if (Math.abs(picture.clientWidth - width) > 2) {
				width = picture.clientWidth;
				draw();
			}
		}).observe(picture);
	}
})();
