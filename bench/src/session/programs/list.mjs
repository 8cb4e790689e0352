/** Lists all sessions of a home folder with the built package, once, in a process of its own. Arguments: package folder, home. */

import { importBuilt } from "../../import-built.mjs";

const [, , home, pithHome] = process.argv;
const { listSessions } = await importBuilt(home, "./node");

const start = performance.now();
const sessions = await listSessions({ env: { PITH_HOME: pithHome } });
const listMs = performance.now() - start;
console.log(JSON.stringify({ listMs, sessions: sessions.length, rssMb: process.memoryUsage().rss / 1e6 }));
