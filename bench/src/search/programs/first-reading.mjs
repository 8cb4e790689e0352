/** Reads all sessions of a home into a new index, once, in a process of its own. Arguments: package folder, home. */

import { importBuilt } from "../../import-built.mjs";

const [, , home, pithHome] = process.argv;
const { searchSessions } = await importBuilt(home, "./search");

let [last, longest] = [performance.now(), 0];
const beat = () => {
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
};
const heart = setInterval(beat, 1);
const start = performance.now();
const found = await searchSessions("nothing has this word", { env: { PITH_HOME: pithHome } });
const indexMs = performance.now() - start;
beat();
clearInterval(heart);
if (found.type !== "searched") throw new Error(JSON.stringify(found));
console.log(JSON.stringify({ indexMs, blockMs: longest, rssMb: process.resourceUsage().maxRSS / 1024 }));
