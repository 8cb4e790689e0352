/** Lists all sessions of a home folder with the built package. Arguments: package folder, home folder. */

import { importBuilt } from "../../import-built.mjs";

const [, , packageFolder, pithHome] = process.argv;
const { listSessions } = await importBuilt(packageFolder, "./node");

const start = performance.now();
const sessions = await listSessions({ env: { PITH_HOME: pithHome } });
const listMs = performance.now() - start;
console.log(JSON.stringify({ listMs, sessions: sessions.length, rssMb: process.memoryUsage().rss / 1e6 }));
