/** Runs `pnpm bench tokens`: how far estimated tokens are from real ones, on held-out texts and on whole sessions. */

import { textTokens } from "@pith/context";
import { estimateTokenCount } from "tokenx";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { heldOutKinds } from "./held-out-texts.ts";
import type { Kind } from "./random-text.ts";
import { realTokens } from "./real-tokens.ts";
import { sessionErrors } from "./session-errors.ts";

/** In parts of the real count; below zero is too little. */
export interface KindErrors {
  readonly name: string;
  readonly lettersPerToken: number;
  readonly ours: number;
  readonly chars4: number;
  readonly tokenx: number;
}

export function kindErrors({ name, text }: Kind): KindErrors {
  const real = realTokens(text);
  return {
    name,
    lettersPerToken: text.length / real,
    ours: textTokens(text) / real - 1,
    chars4: Math.ceil(text.length / 4) / real - 1,
    tokenx: estimateTokenCount(text) / real - 1,
  };
}

export function worst(errors: readonly KindErrors[], by: "ours" | "chars4" | "tokenx"): KindErrors {
  const [first, ...rest] = errors;
  if (!first) throw new Error("there is no kind of text to compare");
  return rest.reduce((far, each) => (Math.abs(each[by]) > Math.abs(far[by]) ? each : far), first);
}

export function errorTable(errors: readonly KindErrors[]): string {
  const width = Math.max(...errors.map(({ name }) => name.length));
  const rows = errors.map(({ name, lettersPerToken, ours, chars4, tokenx }) =>
    [name.padEnd(width), lettersPerToken.toFixed(2).padStart(13), ...[ours, chars4, tokenx].map(percent)].join("  "),
  );
  return [`${"kind".padEnd(width)}  letters/token      ours   chars/4    tokenx`, ...rows].join("\n");
}

function percent(share: number): string {
  return `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)} %`.padStart(8);
}

export function megabytesPerSecond(estimate: (text: string) => number, text: string, runs: number): number {
  const bytes = Buffer.byteLength(text);
  estimate(text);
  const rates = Array.from({ length: runs }, () => {
    const start = performance.now();
    estimate(text);
    return bytes / 1000 / (performance.now() - start);
  });
  return median(rates);
}

export const tokensSuite: Suite = {
  name: "tokens",
  about: "estimated tokens beside real ones: kinds of text, speed, whole sessions",
  run: runTokens,
};

async function runTokens(settings: Settings): Promise<Figures> {
  const kinds = heldOutKinds(settings);
  settings.say(`counting ${kinds.length} kinds of text by o200k_base`);
  const errors = kinds.map(kindErrors);
  settings.say(`\n${errorTable(errors)}\n`);
  const ours = worst(errors, "ours");
  return {
    worst_error: Math.abs(ours.ours),
    worst_kind: ours.name,
    kinds: errors.length,
    lowest: Math.min(...errors.map((each) => each.ours)) + 1,
    chars4_worst: Math.abs(worst(errors, "chars4").chars4),
    tokenx_worst: Math.abs(worst(errors, "tokenx").tokenx),
    ...speeds(kinds, settings),
    ...(await sessionErrors(kinds, settings)),
    ...Object.fromEntries(errors.map(({ name, ours }) => [`error_${name.replace(/\W+/g, "_")}`, ours])),
  };
}

function speeds(kinds: readonly Kind[], { say, quick }: Settings): Figures {
  const mixed = kinds.map(({ text }) => text).join("\n");
  say(`measuring the speed on ${(Buffer.byteLength(mixed) / 1e6).toFixed(1)} MB`);
  return {
    mb_per_s: megabytesPerSecond(textTokens, mixed, quick ? 9 : 25),
    tokenx_mb_per_s: megabytesPerSecond(estimateTokenCount, mixed, quick ? 3 : 9),
  };
}
