"use strict";

// The path of the ray through a pixel, seen from above, and what it costs.
(() => {
	const { make, tab } = book;
	const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
	const large = sphere => sphere[3] >= 100; // the ground

	// drawn has x to the right and z downward.
	function drawn(spheres, path) {
		const points = [...path.map(p => p.from), path.at(-1).to];
		const inView = [...spheres.filter(s => !large(s)).map(s => [s[0], 0, s[2]]), path[0].from];
		const [xs, zs] = [0, 2].map(i => inView.map(p => p[i]));
		const [x0, x1, z0, z1] = [
			Math.min(...xs) - 1,
			Math.max(...xs) + 1,
			Math.min(...zs) - 1,
			Math.max(...zs) + 1,
		];
		const met = new Set(path.map(p => p.sphere));
		const svg = make("svg", {
			viewBox: `${x0} ${z0} ${x1 - x0} ${z1 - z0}`,
			role: "img",
			"aria-label": `The scene from above: the ray goes from the camera through ${path.length} segments, which the table lists`,
		});
		spheres.forEach((s, i) => {
			if (!large(s))
				svg.append(
					make("circle", { cx: s[0], cy: s[2], r: Math.abs(s[3]), class: met.has(i) ? "met" : "" }),
				);
		});
		svg.append(
			make("path", { d: "M" + points.map(p => `${p[0]},${p[2]}`).join("L"), fill: "none" }),
			make("circle", { class: "eye", cx: points[0][0], cy: points[0][2], r: (x1 - x0) / 90 }),
		);
		return svg;
	}

	function costs(spheres, path) {
		const materials = { lambertian: "matte", metal: "metal", dielectric: "glass", sky: "the sky" };
		const name = p =>
			materials[p.hit] + (p.sphere >= 0 && large(spheres[p.sphere]) ? ", the ground" : "");
		const row = (first, meets, list) => {
			const sum = f => list.reduce((a, p) => a + f(p), 0).toLocaleString("en");
			return make(
				"tr",
				{},
				cell(first),
				make("td", {}, meets),
				cell(sum(p => p.tests)),
				cell(`${sum(p => p.tests)}, ${sum(p => p.positive)}`),
				cell(`${sum(p => 16 * p.nodes)}, ${sum(p => 16 * p.groups)}`),
			);
		};
		const head = ["steps 1 to 5: tests", "6 to 11: discriminants, second pass", "tree: boxes, spheres"];
		return make(
			"div",
			{ class: "table", tabindex: 0 },
			make(
				"table",
				{},
				make(
					"thead",
					{},
					make(
						"tr",
						{},
						cell("ray", "th"),
						make("th", {}, "meets"),
						...head.map(t => cell(t, "th")),
					),
				),
				make(
					"tbody",
					{},
					...path.map((p, i) => row(i + 1, name(p), [p])),
					path.length > 1 ? row("all", "", path) : "",
				),
			),
		);
	}

	// path shows that of the pixel that is chosen in a lane, of the scene that the lane has.
	book.path = async (place, lane) => {
		let answer;
		const { width, height } = lane.canvas,
			[x, y] = lane.at;
		await tab.run({ do: "path", scene: lane.scene, steps: [], x, y, width, height }, null, m => {
			answer = m;
		});
		const { spheres, path } = answer;
		place.replaceChildren(
			make("h3", {}, `The ray of pixel ${x}, ${y} in the ${lane.scene} scene`),
			make("div", { class: "above" }, drawn(spheres, path), costs(spheres, path)),
			make(
				"p",
				{ class: "note" },
				"From above, with the camera as a dot. Counted while the code ran: calls of Sphere.Hit in step 1, " +
					"discriminants of step 6 and those that are positive, and what the tree visits, sixteen at a time, besides its largest spheres.",
			),
		);
		place.scrollIntoView({ block: "start" });
	};
})();
