/** Runs `pnpm bench overflow`: the accuracy of refusal classification, also in other formats, and its time on hostile texts, compared with pi. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findPiChunk, noNetworkCommand, PI_ENVIRONMENT } from "../peers/pi.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import {
  countWrong,
  countWrongInOtherCase,
  countWrongReformatted,
  countWrongUnderStatus,
  type RefusalRow,
  readCorpus,
} from "./corpus.ts";
import { createHostileTexts, measureHostileTexts } from "./hostile-texts.ts";

export const overflowSuite: Suite = {
  name: "overflow",
  description:
    "classification of provider refusals: context, bytes, rate, quota; compared with pi (--corpus: a JSON file of rows)",
  run: runOverflow,
};

async function runOverflow(options: SuiteOptions): Promise<Figures> {
  return { ...measureOverflow(options), ...measurePeer(options) };
}

export function measureOverflow({ corpus, log }: Pick<SuiteOptions, "corpus" | "log">): Figures {
  const { name, rows } = readCorpus(corpus);
  log(`${rows.length} refusals from ${name}`);
  const { worstMs, growth } = measureHostileTexts();
  return {
    rows: rows.length,
    wrong: countWrong(rows),
    wrong_sweep: countWrongUnderStatus(rows),
    wrong_case: countWrongInOtherCase(rows),
    wrong_reformatted: countWrongReformatted(rows),
    hostile_ms: worstMs,
    hostile_growth: growth,
  };
}

function measurePeer({ corpus, quick, log }: SuiteOptions): Figures {
  log("running pi on the same rows");
  try {
    const texts = createHostileTexts(200_000);
    return measurePi(readCorpus(corpus).rows, quick ? texts.slice(0, 4) : texts);
  } catch (error) {
    log(`pi is skipped: ${error instanceof Error ? error.message : error}`);
    return {};
  }
}

/** Throws if pi cannot be fetched or run. */
function measurePi(rows: readonly RefusalRow[], texts: readonly string[]): Figures {
  const { overflows, hostileMs } = runPi(rows.map(toPiInput), texts);
  const missed = rows.filter(({ expected }, index) => expected === "overflow" && !overflows[index]).length;
  const falsePositives = rows.filter(({ expected }, index) => expected !== "overflow" && overflows[index]).length;
  return {
    pi_wrong: missed + falsePositives,
    pi_missed: missed,
    pi_false: falsePositives,
    pi_hostile_ms_200k: hostileMs,
  };
}

interface PiAnswer {
  readonly overflows: readonly boolean[];
  readonly hostileMs: number;
}

function runPi(rows: readonly object[], texts: readonly string[]): PiAnswer {
  const worker = join(import.meta.dirname, "pi-worker.mjs");
  const [command = "", ...args] = [
    ...noNetworkCommand(),
    process.execPath,
    worker,
    findPiChunk("function isContextOverflow("),
  ];
  const input = JSON.stringify({ rows, hostile: texts });
  const { status, stdout } = spawnSync(command, args, { env: PI_ENVIRONMENT, input, encoding: "utf8" });
  if (status !== 0) throw new Error("pi's overflow check did not run without network");
  return JSON.parse(stdout) as PiAnswer;
}

/** pi gets only the text. Its libraries put the status before the text of a 413. */
function toPiInput({ provider, status, text }: RefusalRow): { readonly provider: string; readonly text: string } {
  const hasStatus = text.startsWith("413") || text.includes("(413)");
  const name = provider.toLowerCase().split(" ")[0] ?? "";
  return { provider: name, text: status === 413 && !hasStatus ? `413 ${text}` : text };
}
