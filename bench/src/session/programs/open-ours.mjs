/** Opens a session with the built package and prints the time. Arguments: package folder, file. */

import { importBuilt } from "../../import-built.mjs";

const [, , packageFolder, file] = process.argv;
const { buildSessionContext, Session } = await importBuilt(packageFolder, ".");
const { nodeRuntime, openStore } = await importBuilt(packageFolder, "./node");

const before = process.cpuUsage();
const start = performance.now();
const openResult = await openStore(file);
const session = await Session.open(openResult.store, nodeRuntime);
const openMs = performance.now() - start;
const { messages } = buildSessionContext(session.branch);
const contextMs = performance.now() - start;
const { user, system } = process.cpuUsage(before);
const cpuMs = (user + system) / 1000;
const rssMb = process.memoryUsage().rss / 1e6;
console.log(
  JSON.stringify({
    openMs,
    contextMs,
    cpuMs,
    entries: session.branch.entries.length,
    messages: messages.length,
    rssMb,
  }),
);
await openResult.store.close();
