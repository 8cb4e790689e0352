/** `pnpm bench overflow`: are providers' refusals told apart, also in other clothes, and what do hostile ones cost; beside pi. */

import type { Figures, Settings, Suite } from "../suite.ts";
import { readCorpus } from "./corpus.ts";
import { hostile, hostileTexts } from "./hostile.ts";
import { askPi } from "./pi.ts";
import { wrongInCase, wrongOf, wrongReformatted, wrongUnderStatus } from "./variants.ts";

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
