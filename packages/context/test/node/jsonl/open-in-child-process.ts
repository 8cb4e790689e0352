/** Opens a session in a child process and reports the cost; run as a program, it is that process. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { buildSessionContext } from "../../../src/context/build-context.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { cpuSlowdown } from "../../support/machine-speed.ts";

export interface Cost {
  readonly outcome: string;
  /** Of a processor, to the context at the leaf: a clock on the wall would count what others do meanwhile. */
  readonly milliseconds: number;
  /** How much slower the machine was right after that than the one the limits were measured on. */
  readonly slowness: number;
  /** The most memory that the process had, less what it has before it opens anything. */
  readonly megabytes: number;
  /** `kind@line`. */
  readonly damage: string;
  readonly leaf: string | null;
  readonly messages: number;
  /** What came of an append, if one was asked for. */
  readonly appended: string;
}

export interface OpenRequest {
  readonly as?: "writer" | "follower";
  readonly append?: boolean;
  /** For node. */
  readonly flags?: readonly string[];
}

export async function openInChildProcess(
  path: string,
  { as = "follower", append = false, flags = [] }: OpenRequest = {},
) {
  const program = [...flags, import.meta.filename, path, as, append ? "append" : ""];
  const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 300_000, killSignal: "SIGKILL" });
  return JSON.parse(stdout) as Cost;
}

async function opened(path: string, as: "writer" | "follower", append: boolean): Promise<Cost> {
  const before = process.resourceUsage().maxRSS;
  const start = process.cpuUsage();
  const found = await openStore(path, { mode: as });
  if (found.type !== "opened") throw new Error(JSON.stringify(found));
  const { store } = found;
  const leaf = await store.leaf();
  const { messages } = buildSessionContext(await store.loadBranch(leaf));
  const { user, system } = process.cpuUsage(start);
  const entry = { type: "custom", id: "appended", parentId: leaf, timestamp: "t", customType: "x" } as const;
  const done = append ? await store.append([entry], { expectedLeaf: leaf }) : null;
  await store.close();
  const megabytes = Math.round((process.resourceUsage().maxRSS - before) / 1024);
  return {
    outcome: found.type,
    milliseconds: Math.round((user + system) / 1000),
    megabytes,
    slowness: cpuSlowdown(),
    damage: store.damage.map(({ kind, line }) => `${kind}@${line}`).join(" "),
    leaf,
    messages: messages.length,
    appended: done === null ? "" : done.type === "refused" ? done.why : done.type,
  };
}

if (import.meta.main) {
  const [path = "", as, append] = process.argv.slice(2);
  console.log(JSON.stringify(await opened(path, as === "writer" ? "writer" : "follower", append === "append")));
}
