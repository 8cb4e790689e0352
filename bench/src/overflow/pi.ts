/** What pi 1.5.0 makes of the same refusals, asked in a network namespace of its own. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { quiet } from "../peers/pi.ts";
import { piChunk } from "../peers/pi-bundle.ts";
import { withoutNetwork } from "../peers/without-network.ts";
import type { Figures } from "../suite.ts";
import type { Row } from "./corpus.ts";

interface Answer {
  readonly overflows: readonly boolean[];
  readonly hostileMs: number;
}

/** Throws where pi cannot be fetched or run. */
export function askPi(rows: readonly Row[], hostile: readonly string[]): Figures {
  const { overflows, hostileMs } = answer(rows.map(asPiSeesIt), hostile);
  const missed = rows.filter(({ expected }, at) => expected === "overflow" && !overflows[at]).length;
  const mistaken = rows.filter(({ expected }, at) => expected !== "overflow" && overflows[at]).length;
  return { pi_wrong: missed + mistaken, pi_missed: missed, pi_false: mistaken, pi_hostile_ms_200k: hostileMs };
}

/** pi has the text only; of the status it knows what libraries put in front of a 413. */
function asPiSeesIt({ provider, status, text }: Row): { readonly provider: string; readonly text: string } {
  const isNamed = text.startsWith("413") || text.includes("(413)");
  const name = provider.toLowerCase().split(" ")[0] ?? "";
  return { provider: name, text: status === 413 && !isNamed ? `413 ${text}` : text };
}

function answer(rows: readonly object[], hostile: readonly string[]): Answer {
  const worker = join(import.meta.dirname, "pi-worker.mjs");
  const [command = "", ...args] = [
    ...withoutNetwork(),
    process.execPath,
    worker,
    piChunk("function isContextOverflow("),
  ];
  const input = JSON.stringify({ rows, hostile });
  const { status, stdout } = spawnSync(command, args, { env: quiet, input, encoding: "utf8" });
  if (status !== 0) throw new Error("pi's overflow check did not run without network");
  return JSON.parse(stdout) as Answer;
}
