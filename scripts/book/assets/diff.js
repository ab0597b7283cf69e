"use strict";

// Two steps side by side, of one target. The address names the steps, and a file to go to:
// diff.html#step03,step04,world.go
(() => {
	const { make, load, store } = book;
	const out = document.getElementById("diff"),
		root = document.body.dataset.root;
	const from = document.getElementById("from"),
		to = document.getElementById("to"),
		target = document.getElementById("target");
	const names = [...from.options].map(o => o.value);

	const place = (step, file, line) => `${root}src/${step.Folder}/${file}.html` + (line ? `#L${line}` : "");

	// linesOf has those of a file as HTML. A file that is the same as an earlier step's, but
	// for its package clause, is kept with that.
	async function linesOf(name, file) {
		const lines = (await load("files-" + name))[file];
		if (!lines) throw new Error(`there is no ${file} in ${name}; load the page again`);
		if (Array.isArray(lines)) return lines;
		const clause = step => `<b class=k>package</b> ${step}`;
		return (await linesOf(lines, file)).map(line => (line === clause(lines) ? clause(name) : line));
	}
	async function withFiles(name, step, files) {
		const lines = await Promise.all(files.map(file => linesOf(name, file)));
		return { ...step, Files: Object.fromEntries(files.map((file, i) => [file, lines[i]])) };
	}

	// cell is a line of one side, or an empty place. A sign says what a color does.
	function cell(step, file, line, kind) {
		if (!line) return make("div", { class: "none" });
		const code = make("pre"),
			sign = { old: "−", new: "+" }[kind];
		code.innerHTML = step.Files[file][line - 1]; // made by the book from the source
		const link = make("a", { href: place(step, file, line), tabindex: -1 }, String(line));
		return make("div", { class: kind }, link, make("span", { class: "sign" }, sign || ""), code);
	}
	const row = (a, b, file, i, j, kindA, kindB) =>
		make("div", { class: "row" }, cell(a, file, i, kindA), cell(b, file, j, kindB));

	// fold stands for lines until somebody wants them.
	function fold(text, rows) {
		const button = make("button", { class: "fold", type: "button" }, text);
		button.onclick = () => button.replaceWith(...rows());
		return button;
	}
	const plural = n => `${n} line${n > 1 ? "s" : ""}`;

	// pairs are the rows of a hunk: lines that went stand beside those that came.
	function pairs(a, b, f, h) {
		const rows = [];
		let i = h.From,
			j = h.To;
		for (let at = 0; at < h.Kinds.length;) {
			let gone = 0,
				came = 0;
			while (h.Kinds[at] === "-") (gone++, at++);
			while (h.Kinds[at] === "+") (came++, at++);
			const change = make("div", { class: "change" });
			for (let k = 0; k < Math.max(gone, came); k++) {
				change.append(row(a, b, f.Name, k < gone && i + k, k < came && j + k, "old", "new"));
			}
			rows.push(change);
			i += gone;
			j += came;
			if (!gone && !came) {
				rows.push(row(a, b, f.Name, i++, j++, "same", "same"));
				at++;
			}
		}
		return rows;
	}

	// changed are the rows of a file that both steps have, with what is the same folded.
	function changed(a, b, f) {
		const rows = [];
		let i = 1,
			j = 1; // the next lines
		const same = n => {
			const [fromI, fromJ] = [i, j];
			const all = () =>
				Array.from({ length: n }, (_, k) => row(a, b, f.Name, fromI + k, fromJ + k, "same", "same"));
			rows.push(...(n > 3 ? [fold(plural(n) + " unchanged", all)] : all()));
			i += n;
			j += n;
		};
		for (const h of f.Hunks) {
			same(h.From - i);
			rows.push(...pairs(a, b, f, h));
			i += h.Kinds.replaceAll("+", "").length;
			j += h.Kinds.replaceAll("-", "").length;
		}
		same(a.Files[f.Name].length - i + 1);
		return rows;
	}

	function compared(a, b, f) {
		const both = f.InFrom && f.InTo,
			what = both ? `+${f.Added} −${f.Removed}` : f.InTo ? "new" : "gone";
		const whole = () => f.Hunks.flatMap(h => pairs(a, b, f, h));
		return make(
			"section",
			{ class: "pair", id: "file-" + f.Name },
			make("h3", {}, f.Name, make("span", {}, what)),
			...(both ? changed(a, b, f) : [fold(`${what}: ${plural(f.Added + f.Removed)}`, whole)]),
		);
	}

	const listed = (title, step, files) =>
		files?.length
			? [
					make(
						"p",
						{ class: "note" },
						title + ": ",
						...files.flatMap((f, i) => [
							i ? ", " : "",
							make("a", { href: place(step, f.Name) }, f.Name),
						]),
					),
				]
			: [];
	function top(files) {
		const jump = f =>
			make(
				"a",
				{
					href: "#",
					onclick: e => {
						e.preventDefault();
						goTo(f.Name);
					},
				},
				f.Name,
			);
		return make(
			"ul",
			{ class: "changes" },
			...files.map(f =>
				make(
					"li",
					{},
					jump(f),
					" ",
					f.InFrom
						? f.InTo
							? `+${f.Added} −${f.Removed}`
							: `gone, ${plural(f.Removed)}`
						: `new, ${plural(f.Added)}`,
				),
			),
		);
	}
	// goTo shows a file, which may be folded as a whole.
	function goTo(name) {
		const box = document.getElementById("file-" + name);
		box?.querySelector("h3 + .fold:last-child")?.click();
		box?.scrollIntoView();
	}

	// wanted are the steps that the address asks for, or such as there are.
	function wanted() {
		const [wantA, wantB, file] = decodeURIComponent(location.hash.slice(1)).split(",");
		let a = names.includes(wantA) ? wantA : "step03",
			b = names.includes(wantB) ? wantB : "step04";
		if (a === b)
			((b = names[Math.min(names.indexOf(a) + 1, names.length - 1)]),
				(a = a === b ? names[names.length - 2] : a));
		return [a, b, file];
	}
	const backward = (a, b) => names.indexOf(a) > names.indexOf(b);
	// long writes out the kinds of lines, whose runs are a number and a kind.
	const long = f => ({
		...f,
		Hunks: f.Hunks.map(h => ({
			...h,
			Kinds: h.Kinds.replace(/(\d+)(.)/g, (_, n, kind) => kind.repeat(n)),
		})),
	});
	const swap = { "+": "-", "-": "+" };
	const reverse = f => ({
		...f,
		InFrom: f.InTo,
		InTo: f.InFrom,
		Added: f.Removed,
		Removed: f.Added,
		Hunks: f.Hunks.map(h => ({
			From: h.To,
			To: h.From, // what went comes first
			Kinds: h.Kinds.replace(/[-+]+/g, run =>
				[...run]
					.map(c => swap[c])
					.sort()
					.reverse()
					.join(""),
			),
		})),
	});

	async function show() {
		const [a, b, file] = wanted(),
			back = backward(a, b),
			chosen = target.value;
		from.value = a;
		to.value = b;
		try {
			const [steps, all] = await Promise.all([load("steps"), load("from-" + (back ? b : a))]);
			const d = all[back ? a : b],
				mine = list => (list || []).filter(f => !f.For || f.For.includes(chosen));
			const whole = mine(d.Files).map(long);
			const files = back ? whole.map(reverse) : whole;
			const [stepA, stepB] = await Promise.all(
				[
					[a, "InFrom"],
					[b, "InTo"],
				].map(([name, side]) =>
					withFiles(
						name,
						steps[name],
						files.filter(f => f[side]).map(f => f.Name),
					),
				),
			);
			if (from.value !== a || to.value !== b || target.value !== chosen) return; // chosen anew meanwhile
			out.replaceChildren(
				make("h2", {}, make("a", { href: root + stepB.Chapter }, stepB.Title)),
				make(
					"p",
					{ class: "note" },
					back ? "Backward: what this step does not have yet." : d.Synopsis,
				),
				top(files),
				...files.map(f => compared(stepA, stepB, f)),
				...listed("The same but for the name of the package", stepB, mine(d.Same)),
				...listed("Generated, so no part of the lesson", stepB, mine(d.Generated)),
			);
			document.title = `${a} to ${b} · raysteps`;
			if (file) goTo(file);
		} catch (e) {
			out.replaceChildren(make("p", { class: "error" }, e.message));
		}
	}

	const choose = () => {
		location.hash = from.value + "," + to.value;
	};
	from.onchange = choose;
	to.onchange = choose;
	const kept = store.read("target").name;
	if ([...target.options].some(o => o.value === kept)) target.value = kept;
	target.onchange = () => {
		store.change("target", all => {
			all.name = target.value;
		});
		show();
	};
	window.onhashchange = show;
	document.getElementById("unfold").onclick = () => out.querySelectorAll(".fold").forEach(b => b.click());
	show();
})();
