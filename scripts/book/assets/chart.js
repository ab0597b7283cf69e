"use strict";

// A chart that can be asked for its values, by pointer and by keyboard. A series has a color and
// a shape of its own; another machine has hollow marks and dashes.
(() => {
	const { make } = book;
	const { flat, across, upward, grid } = book.axes;
	const shapes = [
		"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
		"M-4-4h8v8h-8z",
		"M0-5l5 8.5h-10z",
		"M0-5.5l5 5.5l-5 5.5l-5-5.5z",
		"M0 5l5-8.5h-10z",
		"M-1.5-5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
		"M-5-2h10v4h-10z",
		"M-2-5h4v10h-4z",
	];
	const dashes = ["", "6 4", "2 3", "9 3 2 3"];

	// symbol is the mark of a series of a machine.
	const symbol = (series, machine, attributes) =>
		make("path", {
			d: shapes[series % 8],
			class: "mark c" + (series % 8),
			fill: machine ? "var(--paper)" : "currentColor",
			stroke: "currentColor",
			"stroke-width": 2,
			...attributes,
		});
	const key = (series, machine) => {
		const svg = make("svg", {
			class: "key",
			viewBox: "-8 -8 16 16",
			width: 16,
			height: 16,
			"aria-hidden": "true",
		});
		svg.append(symbol(series, machine, {}));
		return svg;
	};

	// draw draws the series and returns their marks.
	function draw(svg, lines, x, y) {
		const marks = [];
		for (const l of lines) {
			const style = {
				class: "c" + (l.series % 8),
				stroke: "currentColor",
				fill: "none",
				"stroke-width": 1.5,
			};
			const joined = l.points.filter(p => p.joined).map(p => `${x.at(p.x)},${y.at(p.v)}`);
			if (joined.length > 1)
				svg.append(
					make("path", {
						...style,
						"stroke-dasharray": dashes[l.place % 4],
						d: "M" + joined.join("L"),
					}),
				);
			for (const point of l.points) {
				const px = x.at(point.x),
					py = y.at(point.v);
				if (point.hi > point.lo)
					svg.append(
						make("line", { ...style, x1: px, x2: px, y1: y.at(point.lo), y2: y.at(point.hi) }),
					);
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
		const place = (m, size) =>
			m.dot.setAttribute("transform", `translate(${m.px} ${m.py}) scale(${size})`);
		const say = o => [
			key(o.line.series, o.line.place),
			` ${o.line.name}${several ? ", " + o.line.machine : ""}: `,
		];
		const select = i => {
			if (active >= 0) place(marks[active], 1);
			active = i;
			const m = marks[i];
			place(m, 1.7);
			cursor.setAttribute("x1", m.px);
			cursor.setAttribute("x2", m.px);
			const others = marks.filter(o => o !== m && o.point.x === m.point.x);
			readout.replaceChildren(
				make("div", {}, make("b", {}, m.point.label), " · ", ...say(m), make("b", {}, m.point.text)),
				...(others.length > 7 ? [] : others.map(o => make("div", {}, ...say(o), o.point.text))),
			);
		};
		svg.onpointermove = svg.onpointerdown = e => {
			const box = svg.getBoundingClientRect(),
				scale = svg.viewBox.baseVal.width / box.width;
			const px = (e.clientX - box.left) * scale,
				py = (e.clientY - box.top) * scale;
			const far = m => Math.abs(m.px - px) * 8 + Math.abs(m.py - py); // the column first
			select(marks.reduce((best, m, i) => (far(m) < far(marks[best]) ? i : best), 0));
		};
		svg.onfocus = () => {
			if (active < 0) select(0);
		};
		svg.onkeydown = e => {
			const m = marks[Math.max(0, active)],
				row = marks.filter(o => o.line === m.line);
			const column = marks.filter(o => o.point.x === m.point.x).sort((a, b) => b.point.v - a.point.v);
			const go = {
				ArrowRight: [row, 1],
				ArrowLeft: [row, -1],
				ArrowUp: [column, -1],
				ArrowDown: [column, 1],
				Home: [row, -1e9],
				End: [row, 1e9],
			}[e.key];
			if (!go) return;
			e.preventDefault();
			const [list, by] = go,
				at = list.indexOf(m) + by;
			select(marks.indexOf(list[Math.max(0, Math.min(list.length - 1, at))]));
		};
	}

	// chosen are the lines that are drawn of what is shown.
	function chosen(c, names, shown) {
		return c.machines
			.flatMap((m, place) =>
				!shown.machines.has(m)
					? []
					: m.lines
							.filter(l => shown.lines.has(l.name))
							.map(l => ({
								name: l.name,
								machine: m.Name,
								place,
								series: names.indexOf(l.name),
								points: l.points.filter(p => !c.axis || shown.places.has(p.x)),
							})),
			)
			.filter(l => l.points.length);
	}

	function render(c, names, shown, picture, readout) {
		const lines = chosen(c, names, shown),
			points = lines.flatMap(l => l.points);
		if (!lines.length) {
			picture.replaceChildren(make("p", { class: "note" }, "Nothing is chosen."));
			readout.replaceChildren();
			return;
		}
		const width = Math.max(280, picture.clientWidth),
			height = Math.min(460, Math.max(280, width * 0.55));
		const [left, right, top, bottom] = [56, width - 16, 12, height - 42];
		const svg = make("svg", {
			viewBox: `0 0 ${width} ${height}`,
			width,
			height,
			tabindex: 0,
			role: "img",
			"aria-label": `${c.title}. Arrow keys go from value to value; a table has them all.`,
		});
		const x = across(c, points, left, right),
			y = upward(c, points, top, bottom);
		const cursor = make("line", { class: "cursor", y1: top, y2: bottom, x1: -9, x2: -9 });
		grid(svg, x, y, [left, right, top, bottom]);
		svg.append(cursor);
		ask(svg, draw(svg, lines, x, y), cursor, c.machines.length > 1, readout);
		picture.replaceChildren(
			svg,
			make("p", { class: "note" }, `${c.x}; upward: ${c.y}${c.linear ? "" : ", logarithmic"}`),
		);
		const bars = points.some(p => p.hi > p.lo);
		readout.replaceChildren(
			make(
				"span",
				{ class: "note" },
				bars
					? "A bar through a mark is the 95 % interval."
					: "No intervals: they take several link orders.",
			),
		);
	}

	function boxes(title, set, items, draw) {
		if (items.length < 2) return "";
		const box = value =>
			make("input", {
				type: "checkbox",
				checked: set.has(value),
				onchange: e => {
					e.target.checked ? set.add(value) : set.delete(value);
					draw();
				},
			});
		return make(
			"fieldset",
			{},
			make("legend", {}, title),
			...items.map(([value, ...label]) => make("label", {}, box(value), ...label)),
		);
	}

	// chart draws one into a place, with all that can be chosen, or a legend in its stead.
	book.chart = (place, data, choice) => {
		const c = flat(data),
			names = [...new Set(c.machines.flatMap(m => m.lines.map(l => l.name)))];
		const first = c.machines.filter(m => m.Shown);
		const shown = {
			lines: new Set(names),
			machines: new Set(choice ? first : first.slice(0, 1)),
			places: new Set((c.axis || []).keys()),
		};
		const picture = make("div"),
			readout = make("div", { class: "readout", role: "status" });
		const redraw = () => render(c, names, shown, picture, readout);
		const lines = names.map((n, i) => [n, key(i, 0), n]);
		const machines = c.machines.map((m, i) => [
			m,
			key(0, i),
			make("span", { title: m.Figure.Caption }, m.Name),
		]);
		place.replaceChildren(
			make(
				"div",
				{ class: "controls" },
				...(choice
					? [
							boxes("Lines", shown.lines, lines, redraw),
							boxes("Machines", shown.machines, machines, redraw),
							boxes(
								c.x,
								shown.places,
								(c.axis || []).map((s, i) => [i, s]),
								redraw,
							),
						]
					: lines.map(([, ...label]) => make("span", {}, ...label))),
			),
			picture,
			readout,
		);
		redraw();
		let width = picture.clientWidth;
		new ResizeObserver(() => {
			if (Math.abs(picture.clientWidth - width) <= 2) return;
			width = picture.clientWidth;
			redraw();
		}).observe(picture);
	};
})();
