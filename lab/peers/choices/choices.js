// SPDX-License-Identifier: BSD-2-Clause
// Node.js's choices for cprng-lab choices; choices.hpp has the requests.
"use strict";

const crypto = require("node:crypto");

// A text has 22 characters.
const ONE = { text: () => crypto.randomBytes(16).toString("base64url"), uuid4: () => crypto.randomUUID() };
const VALUE = { text: (one) => Number(Buffer.from(one).readBigUInt64BE()), uuid4: (one) => Number("0x" + one.slice(19).replace("-", "")) };

function answer(kind, count, seconds) {
	if (ONE[kind] === undefined)
		return "-";
	const one = ONE[kind], array = new Array(count);
	let took = 0, times = 1;
	for (let warm = false; ; warm = true) {
		const begin = process.cpuUsage();
		for (let i = 0; i < times; i++)
			for (let j = 0; j < count; j++)
				array[j] = one();
		const used = process.cpuUsage(begin);
		took = (used.user + used.system) / 1e6;
		if (warm && took >= seconds / 2)
			break;
		times *= warm ? 2 : 1;
	}
	const values = array.map(VALUE[kind]);
	const moved = values.filter((value, i) => value !== i).length;
	values.sort((a, b) => a - b);
	return [(took / times / count) * 1e9, values[0], values[count - 1], new Set(values).size, moved].join(" ");
}

console.log(`Node.js ${process.version}`);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
	const [kind, , count, seconds] = line.split(" ");
	console.log(answer(kind, Number(count), Number(seconds)));
});
