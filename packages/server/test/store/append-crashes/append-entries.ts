/** A writer that is killed: `node append-entries.ts PORT COUNT` appends numbered entries up to COUNT and prints each id once it is written. */

import { writeSync } from "node:fs";
import type { Entry } from "@pith/context";
import { connect, openSession } from "../../../src/index.ts";
import { APPLICATION } from "../../support/cluster.ts";
import { TENANT } from "../../support/database.ts";

const [port, count] = process.argv.slice(2).map(Number);
const database = connect({ host: "127.0.0.1", port: port ?? 0, user: APPLICATION, database: "pith", retryMs: 60_000 });
const store = await openSession(database, TENANT, { id: "crashes", mode: "write" });
if (!store) throw new Error("the session does not exist");
for (let number = (await store.lastNumber()) + 1; number <= (count ?? 0); number++) {
  const parentId = await store.leaf();
  const text = "x".repeat(number % 100);
  const message = { role: "user", content: [{ type: "text", text }], timestamp: 0 } as const;
  const entry: Entry = { type: "message", id: `e${number}`, parentId, timestamp: "", number, message };
  const result = await store.append([entry], { expectedLeaf: parentId });
  if (result.type !== "appended") throw new Error(JSON.stringify(result));
  writeSync(1, `${entry.id}\n`);
}
await database.close();
