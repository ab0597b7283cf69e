"use strict";

// Where charts are drawn: on their page when one is opened, and in a chapter on a narrow screen,
// where the text of the printed one would be too small to read.
(() => {
	const { make, load, seen, chart } = book;
	const fail = (place, e) => place.replaceChildren(make("p", { class: "error" }, e.message));

	for (const details of document.querySelectorAll("details.chart")) {
		const place = details.querySelector(".draw");
		details.addEventListener("toggle", async () => {
			if (!place || !details.open || place.firstChild) return;
			try {
				chart(place, await load("chart-" + details.id), true);
			} catch (e) {
				fail(place, e);
			}
		});
	}
	const open = () => {
		const asked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (!asked?.matches("details.chart")) return;
		asked.open = true;
		asked.scrollIntoView();
	};
	window.addEventListener("hashchange", open);
	open();

	async function replace(place) {
		let printed = place.nextElementSibling;
		while (printed && !printed.querySelector("img")) printed = printed.nextElementSibling;
		try {
			const data = await load("chart-" + place.dataset.chart);
			if (!printed || !data.Machines.length || data.Machines[0].Figure.Stacked) return; // the printed one stays
			const drawn = make("div", { class: "chart drawn" });
			printed.replaceWith(drawn);
			chart(drawn, data, false);
		} catch {} // the printed one stays
	}
	if (matchMedia("(max-width: 40rem)").matches) {
		for (const place of document.querySelectorAll("p.drawn"))
			seen(place.nextElementSibling || place, () => replace(place));
	}
})();
