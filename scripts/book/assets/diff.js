"use strict";

// Two steps side by side. The address names them, and a file to go to:
// diff.html#step03,step04,world.go
(() => {
	const { make, load } = book;
	const out = document.getElementById("diff");
	const from = document.getElementById("from"), to = document.getElementById("to");
	const root = document.body.dataset.root;

	const place = (step, file, line) => `${root}src/${step.Folder}/${file}.html` + (line ? `#L${line}` : "");

	// linesOf has those of a file as HTML, from the page of its source.
	async function linesOf(step, file) {
		const answer = await fetch(place(step, file));
		if (!answer.ok) throw new Error(`cannot load ${file} of ${step.Folder}`);
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		return page.querySelector("pre.source code").innerHTML.replace(/<i id="L\d+"><\/i>/g, "").split("\n").slice(0, -1);
	}
	const withFiles = async (step, names) => ({ ...step, Files: Object.fromEntries(await Promise.all(names.map(async n => [n, await linesOf(step, n)]))) });

	// cell is a line of one side, or an empty place.
	function cell(step, file, line, kind) {
		if (!line) return make("div", { class: "none" });
		const code = make("pre");
		code.innerHTML = step.Files[file][line - 1]; // made by the book from the source
		return make("div", { class: kind }, make("a", { href: place(step, file, line), tabindex: -1 }, String(line)), code);
	}
	const row = (a, b, file, i, j, kindA, kindB) =>
		make("div", { class: "row" }, cell(a, file, i, kindA), cell(b, file, j, kindB));

	// fold stands for lines that are the same on both sides.
	function fold(a, b, file, i, j, n) {
		const button = make("button", { class: "fold", type: "button" }, `${n} unchanged line${n > 1 ? "s" : ""}`);
		button.onclick = () => {
			const rows = [];
			for (let k = 0; k < n; k++) rows.push(row(a, b, file, i + k, j + k, "same", "same"));
			button.replaceWith(...rows);
		};
		return button;
	}

	function compared(a, b, f) {
		const box = make("section", { class: "pair", id: "file-" + f.Name },
			make("h3", {}, f.Name, make("span", {}, f.InFrom ? f.InTo ? `+${f.Added} −${f.Removed}` : "gone" : "new")));
		let i = 1, j = 1; // the next lines
		const same = (n) => {
			if (n > 3) box.append(fold(a, b, f.Name, i, j, n));
			else for (let k = 0; k < n; k++) box.append(row(a, b, f.Name, i + k, j + k, "same", "same"));
			i += n;
			j += n;
		};
		for (const h of f.Hunks) {
			if (f.InFrom && f.InTo) same(h.From - i);
			for (let at = 0; at < h.Kinds.length;) {
				// Lines that went stand beside those that came.
				let gone = 0, came = 0;
				while (h.Kinds[at] === "-") gone++, at++;
				while (h.Kinds[at] === "+") came++, at++;
				const change = make("div", { class: "change" });
				for (let k = 0; k < Math.max(gone, came); k++) {
					change.append(row(a, b, f.Name, k < gone && i + k, k < came && j + k, "old", "new"));
				}
				box.append(change);
				i += gone;
				j += came;
				if (!gone && !came) {
					box.append(row(a, b, f.Name, i++, j++, "same", "same"));
					at++;
				}
			}
		}
		if (f.InFrom && f.InTo) same(a.Files[f.Name].length - i + 1);
		return box;
	}

	const listed = (title, step, names) => names?.length ? [make("p", { class: "note" }, title + ": ",
		...names.flatMap((name, i) => [i ? ", " : "", make("a", { href: place(step, name) }, name)]))] : [];

	async function show() {
		const [wantA, wantB, file] = decodeURIComponent(location.hash.slice(1)).split(",");
		const names = [...from.options].map(o => o.value);
		let a = names.includes(wantA) ? wantA : "step03", b = names.includes(wantB) ? wantB : "step04";
		if (a === b) b = names[Math.min(names.indexOf(a) + 1, names.length - 1)], a = a === b ? names[names.length - 2] : a;
		from.value = a;
		to.value = b;
		const backward = names.indexOf(a) > names.indexOf(b);
		try {
			if (location.protocol === "file:") throw new Error("Differences need a server: go run ./scripts/book is one.");
			const [steps, all] = await Promise.all([load("steps"), load("from-" + (backward ? b : a))]);
			const d = all[backward ? a : b], files = (backward ? d.Files?.map(reverse) : d.Files) || [];
			const [stepA, stepB] = await Promise.all([withFiles(steps[a], files.filter(f => f.InFrom).map(f => f.Name)), withFiles(steps[b], files.filter(f => f.InTo).map(f => f.Name))]);
			if (from.value !== a || to.value !== b) return; // chosen anew meanwhile
			out.replaceChildren(
				make("h2", {}, make("a", { href: root + stepB.Chapter }, stepB.Title)),
				make("p", { class: "note" }, backward ? "Backward: what this step does not have yet." : d.Synopsis),
				...files.map(f => compared(stepA, stepB, f)),
				...listed("The same but for the name of the package", stepB, d.Same),
				...listed("No part of the lesson", stepB, d.Generated));
			document.title = `${a} to ${b} · raysteps`;
			if (file) document.getElementById("file-" + file)?.scrollIntoView();
		} catch (e) {
			out.replaceChildren(make("p", { class: "error" }, e.message));
		}
	}
	const reverse = f => ({
		...f, InFrom: f.InTo, InTo: f.InFrom, Added: f.Removed, Removed: f.Added,
		Hunks: f.Hunks.map(h => ({ From: h.To, To: h.From, Kinds: h.Kinds.replace(/[-+]+/g, run => run.replaceAll("+", "#").replaceAll("-", "+").replaceAll("#", "-").split("").sort().reverse().join("")) })),
	});

	const choose = () => { location.hash = from.value + "," + to.value; };
	from.onchange = choose;
	to.onchange = choose;
	window.onhashchange = show;
	document.getElementById("unfold").onclick = () => out.querySelectorAll(".fold").forEach(b => b.click());
	show();
})();
