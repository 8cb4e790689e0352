/** A child program: `PATH COUNT TURN`. One of many who want to write: waits for its turn, appends up to TURN entries, lets others in, until COUNT are acknowledged. */

import { setTimeout as wait } from "node:timers/promises";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { message, report } from "./report.ts";

const [path = "", count = "0", turn = "0"] = process.argv.slice(2);
const mine: string[] = [];

while (mine.length < Number(count)) {
  const opened = await openStore(path);
  if (opened.type === "unavailable") throw new Error(opened.why);
  if (opened.type === "opened") {
    await writeTurn(opened.store);
    await opened.store.close();
  }
  await wait(5 + Math.random() * 20);
}
report(...mine);

async function writeTurn(store: JsonlStore): Promise<void> {
  const session = await Session.open(store, nodeRuntime);
  const end = Math.min(Number(count), mine.length + Number(turn));
  while (mine.length < end) {
    const next = message(200);
    const outcome = await session.append(next);
    if (outcome.type === "appended") mine.push(next.id);
    else if (outcome.type === "refused" && outcome.why === "lease-lost") return;
    else throw new Error(`not appended: ${JSON.stringify(outcome)}`);
  }
}
