/** Runs `pnpm bench tokens`: the error of estimated tokens, on held-out texts and on whole sessions. */

import { textTokens } from "@pith/context";
import { estimateTokenCount } from "tokenx";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { listHeldOutTexts } from "./held-out-texts.ts";
import type { TextKind } from "./random-text.ts";
import { countRealTokens } from "./real-tokens.ts";
import { measureSessions } from "./session-errors.ts";

export const tokensSuite: Suite = {
  name: "tokens",
  description: "estimated tokens compared with real ones: kinds of text, speed, whole sessions",
  run: runTokens,
};

async function runTokens(options: SuiteOptions): Promise<Figures> {
  const kinds = listHeldOutTexts(options);
  options.log(`counting ${kinds.length} kinds of text by o200k_base`);
  const errors = kinds.map(measureErrors);
  options.log(`\n${formatErrors(errors)}\n`);
  const worstOwn = findWorst(errors, "ours");
  return {
    worst_error: Math.abs(worstOwn.ours),
    worst_kind: worstOwn.name,
    kinds: errors.length,
    lowest: Math.min(...errors.map((each) => each.ours)) + 1,
    chars4_worst: Math.abs(findWorst(errors, "chars4").chars4),
    tokenx_worst: Math.abs(findWorst(errors, "tokenx").tokenx),
    ...measureSpeeds(kinds, options),
    ...(await measureSessions(kinds, options)),
    ...Object.fromEntries(errors.map(({ name, ours }) => [`error_${name.replace(/\W+/g, "_")}`, ours])),
  };
}

/** Errors relative to the real count. A negative error is an underestimate. */
export interface EstimateErrors {
  readonly name: string;
  readonly lettersPerToken: number;
  readonly ours: number;
  readonly chars4: number;
  readonly tokenx: number;
}

function measureErrors({ name, text }: TextKind): EstimateErrors {
  const real = countRealTokens(text);
  return {
    name,
    lettersPerToken: text.length / real,
    ours: textTokens(text) / real - 1,
    chars4: Math.ceil(text.length / 4) / real - 1,
    tokenx: estimateTokenCount(text) / real - 1,
  };
}

function formatErrors(errors: readonly EstimateErrors[]): string {
  const width = Math.max(...errors.map(({ name }) => name.length));
  const rows = errors.map(({ name, lettersPerToken, ours, chars4, tokenx }) =>
    [name.padEnd(width), lettersPerToken.toFixed(2).padStart(13), ...[ours, chars4, tokenx].map(formatPercent)].join(
      "  ",
    ),
  );
  return [`${"kind".padEnd(width)}  letters/token      ours   chars/4    tokenx`, ...rows].join("\n");
}

function formatPercent(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${(fraction * 100).toFixed(1)}%`.padStart(8);
}

function findWorst(errors: readonly EstimateErrors[], estimator: "ours" | "chars4" | "tokenx"): EstimateErrors {
  const [first, ...rest] = errors;
  if (!first) throw new Error("no texts to compare");
  return rest.reduce(
    (worstSoFar, each) => (Math.abs(each[estimator]) > Math.abs(worstSoFar[estimator]) ? each : worstSoFar),
    first,
  );
}

function measureSpeeds(kinds: readonly TextKind[], { log, quick }: SuiteOptions): Figures {
  const allText = kinds.map(({ text }) => text).join("\n");
  log(`measuring the speed on ${(Buffer.byteLength(allText) / 1e6).toFixed(1)} MB`);
  return {
    mb_per_s: measureSpeed(textTokens, allText, quick ? 9 : 25),
    tokenx_mb_per_s: measureSpeed(estimateTokenCount, allText, quick ? 3 : 9),
  };
}

function measureSpeed(estimate: (text: string) => number, text: string, runs: number): number {
  const bytes = Buffer.byteLength(text);
  estimate(text);
  const rates = Array.from({ length: runs }, () => {
    const start = performance.now();
    estimate(text);
    return bytes / 1000 / (performance.now() - start);
  });
  return median(rates);
}
