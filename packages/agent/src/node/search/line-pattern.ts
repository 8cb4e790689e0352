/** Matches a ripgrep pattern against lines. A match that takes too long is aborted: a JavaScript expression can run forever. */

import type { GrepWish } from "../../ports.ts";
import { ACROSS_LINES, literalPattern } from "./engine.ts";

export interface Dialect {
  /** For an expression with the flag `u`. */
  readonly unicode: string;
  /** For one without, which takes what people write more loosely. */
  readonly loose: string;
  readonly flags: string;
}

/** Translates ripgrep's syntax as far as people use what differs: Unicode words, POSIX classes, flags at the beginning. */
export function inJavaScript(pattern: string): Dialect {
  const [beginning = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const loose = pattern.slice(beginning.length).replace(/\[:(\w+):\]/g, (kind, name: string) => KINDS[name] ?? kind);
  return { unicode: inUnicode(loose), loose, flags: [...new Set(flags)].join("") };
}

const KINDS: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  word: "a-zA-Z0-9_",
  xdigit: "0-9a-fA-F",
  punct: "!-\\/:-@\\[-`\\{-~",
};

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";

/** Within a choice of characters, and without one. */
const WIDER: Readonly<Record<string, readonly [string, string]>> = {
  "\\w": [WORD, `[${WORD}]`],
  "\\W": ["\\W", `[^${WORD}]`],
  "\\d": ["\\p{Nd}", "\\p{Nd}"],
  "\\D": ["\\P{Nd}", "\\P{Nd}"],
  "\\b": ["\\b", `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`],
};

function inUnicode(source: string): string {
  let isChoice = false;
  return source.replace(/\\.|[[\]]/gs, (sign) => {
    if (!sign.startsWith("\\")) {
      isChoice = sign === "[";
      return sign;
    }
    const [within, without] = WIDER[sign] ?? [neededEscape(sign), neededEscape(sign)];
    return isChoice ? within : without;
  });
}

/** With the flag `u` no other character may be escaped; a hyphen is spelled so that it may stand anywhere. */
function neededEscape(sign: string): string {
  if (sign === "\\-") return "\\x2d";
  return /^\\[\w^$\\.*+?()[\]{}|/]/.test(sign) ? sign : sign.slice(1);
}

export type LinePattern =
  | {
      readonly type: "pattern";
      /** Where each line has it first; -1: nowhere. Null: it takes too long. */
      readonly placesIn: (lines: readonly string[]) => readonly number[] | null;
    }
  | { readonly type: "bad"; readonly why: string };

export function linePattern({ pattern, isLiteral = false, ignoresCase = false }: Omit<GrepWish, "path">): LinePattern {
  if (!isLiteral && asksForLineBreak(pattern)) return { type: "bad", why: ACROSS_LINES };
  const source = isLiteral ? literalPattern(pattern) : pattern;
  try {
    const expression = compiled(source, { ignoresCase });
    const placesIn = (lines: readonly string[]): readonly number[] => lines.map((line) => line.search(expression));
    const isQuick = isLiteral || !REPETITION.test(source);
    return { type: "pattern", placesIn: isQuick ? placesIn : timeLimited(placesIn) };
  } catch (error) {
    return { type: "bad", why: error instanceof SyntaxError ? error.message.replace(/^.*: /s, "") : String(error) };
  }
}

/** Other than in a choice of characters, which may well name it as one of those not wanted. */
function asksForLineBreak(pattern: string): boolean {
  return pattern.replace(/\\\\|\[(?:\\.|[^\]])*\]/g, "").includes("\\n");
}

function compiled(source: string, { ignoresCase }: { readonly ignoresCase: boolean }): RegExp {
  const { unicode, loose, flags } = inJavaScript(source);
  const all = ignoresCase && !flags.includes("i") ? `${flags}i` : flags;
  try {
    return new RegExp(unicode, `${all}u`);
  } catch {
    return new RegExp(loose, all);
  }
}

const PATIENCE_MS = 1_000;

/** Without it no expression takes more than the length of the line times its own. */
const REPETITION = /[*+?{]/;

type Places<Outcome> = (lines: readonly string[]) => Outcome;

/** Node breaks off only what runs as a script, and starts a thread to watch over it. */
function timeLimited(placesIn: Places<readonly number[]>): Places<readonly number[] | null> {
  const place = { act: (): readonly number[] => [] };
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  const context = createContext(place);
  const script = new Script("act()");
  return (lines) => {
    place.act = () => placesIn(lines);
    try {
      return script.runInContext(context, { timeout: PATIENCE_MS });
    } catch (error) {
      if (isTimeOver(error)) return null;
      throw error;
    }
  };
}

/** It comes from the other side, whose errors are none of ours. */
function isTimeOver(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
