/** How far estimates are from what o200k_base counts, kind by kind: ours, a quarter of the letters, and tokenx. */

import { textTokens } from "@pith/context";
import { estimateTokenCount } from "tokenx";
import type { Kind } from "./kind.ts";
import { realTokens } from "./real-tokens.ts";

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
