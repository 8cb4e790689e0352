/** Opens a session with the built package, once, in a process of its own, and prints the time. Arguments: package folder, file. */

import { importBuilt } from "../../import-built.mjs";

const [, , home, file] = process.argv;
const { buildSessionContext, Session } = await importBuilt(home, ".");
const { nodeRuntime, openStore } = await importBuilt(home, "./node");

const before = process.cpuUsage();
const start = performance.now();
const opened = await openStore(file);
const session = await Session.open(opened.store, nodeRuntime);
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
await opened.store.close();
