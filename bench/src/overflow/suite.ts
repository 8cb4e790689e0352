/** Runs `pnpm bench overflow`: how well refusals are classified, also in other forms, and what hostile ones cost; beside pi. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { piChunk, quiet, withoutNetwork } from "../peers/pi.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { type Row, readCorpus, wrongInCase, wrongOf, wrongReformatted, wrongUnderStatus } from "./corpus.ts";
import { hostile, hostileTexts } from "./hostile-texts.ts";

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

export const overflowSuite: Suite = {
  name: "overflow",
  about: "telling apart what providers refuse: context, bytes, rate, quota; beside pi (--corpus: a JSON file of rows)",
  run: runOverflow,
};

async function runOverflow(settings: Settings): Promise<Figures> {
  const ours = overflowFigures(settings);
  return { ...ours, ...theirs(settings) };
}

/** Without pi. */
export function overflowFigures({ corpus, say }: Pick<Settings, "corpus" | "say">): Figures {
  const { name, rows } = readCorpus(corpus);
  say(`${rows.length} refusals from ${name}`);
  const { worstMs, growth } = hostile();
  return {
    rows: rows.length,
    wrong: wrongOf(rows),
    wrong_sweep: wrongUnderStatus(rows),
    wrong_case: wrongInCase(rows),
    wrong_reformatted: wrongReformatted(rows),
    hostile_ms: worstMs,
    hostile_growth: growth,
  };
}

function theirs({ corpus, quick, say }: Settings): Figures {
  say("asking pi the same");
  try {
    const texts = hostileTexts(200_000);
    return askPi(readCorpus(corpus).rows, quick ? texts.slice(0, 4) : texts);
  } catch (error) {
    say(`pi is left out: ${error instanceof Error ? error.message : error}`);
    return {};
  }
}
