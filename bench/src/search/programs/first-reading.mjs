/** Reads all sessions of a home folder into a new index. Arguments: package folder, home folder. */

import { importBuilt } from "../../import-built.mjs";

const [, , packageFolder, pithHome] = process.argv;
const { searchSessions } = await importBuilt(packageFolder, "./search");

let [lastTime, longestPause] = [performance.now(), 0];
const recordPause = () => {
  longestPause = Math.max(longestPause, performance.now() - lastTime);
  lastTime = performance.now();
};
const timer = setInterval(recordPause, 1);
const start = performance.now();
const result = await searchSessions("nothing has this word", { env: { PITH_HOME: pithHome } });
const indexMs = performance.now() - start;
recordPause();
clearInterval(timer);
if (result.type !== "searched") throw new Error(JSON.stringify(result));
console.log(JSON.stringify({ indexMs, blockMs: longestPause, rssMb: process.resourceUsage().maxRSS / 1024 }));
