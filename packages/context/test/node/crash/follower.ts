/** A child program: `PATH COUNT`. Follows a session, and says the id of every entry it is shown, until there were COUNT of them and no more come. */

import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { report } from "./report.ts";

const [path = "", count = "0"] = process.argv.slice(2);
const opened = await openStore(path, { mode: "follower" });
if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
report("ready");

const stop = new AbortController();
let seenCount = 0;
for await (const entries of opened.store.follow({ signal: stop.signal, intervalMs: 20 })) {
  report(...entries.map(({ id }) => id));
  seenCount += entries.length;
  // An entry shown twice would come now.
  if (seenCount >= Number(count)) void wait(300).then(() => stop.abort());
}
await opened.store.close();
