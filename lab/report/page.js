// SPDX-License-Identifier: BSD-2-Clause
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const json = (element) => JSON.parse(element.textContent);
const themes = { light: json(document.getElementById("light")), dark: json(document.getElementById("dark")) };

// The plotting library is compressed: expand it into a script.
async function loadLibrary() {
	const bytes = Uint8Array.from(atob(document.getElementById("library").textContent), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	const script = document.createElement("script");
	script.textContent = await new Response(stream).text();
	document.head.append(script);
}

// In narrow windows each legend entry has its own line; make the figure taller instead of the plot smaller.
function heightOf(plot, width) {
	const entry = plot.longest * 7 + 50;
	const lines = Math.ceil(plot.entries / Math.max(1, Math.floor((width - 60) / entry)));
	return plot.height + 20 * lines;
}

function show(element, plot) {
	const layout = {
		...plot.layout,
		template: themes[dark.matches ? "dark" : "light"],
		height: heightOf(plot, element.clientWidth),
	};
	return Plotly.react(element, plot.data, layout, { responsive: true, displayModeBar: false });
}

async function main() {
	await loadLibrary();
	const plots = [...document.querySelectorAll(".chart")].map((element) => [element, json(element.nextElementSibling)]);
	const showAll = () => Promise.all(plots.map(([element, plot]) => show(element, plot)));
	dark.addEventListener("change", showAll);
	let width = innerWidth;
	addEventListener("resize", () => {
		// Telephones also report a resize when their bars appear or vanish.
		if (innerWidth !== width)
			showAll();
		width = innerWidth;
	});
	await showAll();
	document.documentElement.dataset.drawn = plots.length;
}

main().catch((error) => {
	const failure = document.getElementById("failure");
	failure.textContent = `The plots could not be drawn (${error}); the tables have all figures.`;
	failure.hidden = false;
	console.error(error);
});
