/** A child program: `OPERATION FOLDER`. Runs one operation on the session in the folder and reports what was acknowledged, with the same system calls in the same order each time. */

import { join } from "node:path";
import { realFiles } from "../../../src/node/files.ts";
import type { StoreOptions } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "../../../src/node/jsonl/open-store.ts";
import { createFileAtomically } from "../../../src/node/jsonl/rewrite.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { type Operation, targetFile } from "./operations.ts";
import { appendAndReport, moveAndReport, report } from "./report.ts";

const [act = "", folder = ""] = process.argv.slice(2);
const path = join(folder, targetFile(act as Operation));
let nonces = 0;
const parts: StoreOptions = { runtime: { ...nodeRuntime, nonce: () => `nonce${++nonces}` } };
await done(act as Operation);

async function done(what: Operation): Promise<void> {
  switch (what) {
    case "create":
      return within(await createStore(path, { cwd: "/" }, parts), async (session) => {
        report("made");
        await appendAndReport(session, 1, 200);
      });
    case "append":
      return within(await openStore(path, parts), async (session) => {
        await appendAndReport(session, 1, 200);
        await appendAndReport(session, 3, 200);
        await moveAndReport(session, session.branch.entries[0]?.id ?? "");
        await appendAndReport(session, 1, 200);
      });
    case "append-fast":
      return within(await openStore(path, { ...parts, durability: "fast" }), async (session) => {
        await appendAndReport(session, 1, 200);
        // Long enough for an index to be kept.
        await appendAndReport(session, 2, 600_000);
      });
    case "mend":
    case "migrate":
      return within(await openStore(path, parts), async (session) => {
        await appendAndReport(session, 1, 200);
        await appendAndReport(session, 1, 200);
      });
    case "fork":
      await within(await openStore(join(folder, "s.jsonl"), { ...parts, mode: "follower" }), async (session) => {
        createFileAtomically(path, await session.fork(), realFiles);
      });
      report("made");
      return within(await openStore(path, parts), (session) => appendAndReport(session, 1, 200));
  }
}

async function within(opened: OpenResult, use: (session: Session) => Promise<void>): Promise<void> {
  if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
  await use(await Session.open(opened.store, nodeRuntime));
  await opened.store.close();
}
