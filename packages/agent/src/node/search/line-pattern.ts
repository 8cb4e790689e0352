/** Matches a ripgrep pattern against lines. A match that takes too long is aborted: a JavaScript expression can run forever. */

import type { GrepQuery } from "../../ports.ts";
import { escapePattern, LINE_BREAK_PROBLEM } from "./engine.ts";

export interface TranslatedPattern {
  /** For an expression with the flag `u`. */
  readonly unicode: string;
  /** For one without, which takes what people write more loosely. */
  readonly loose: string;
  readonly flags: string;
}

/** Translates ripgrep's syntax as far as people use what differs: Unicode words, POSIX classes, flags at the beginning. */
export function toJavaScriptPattern(pattern: string): TranslatedPattern {
  const [flagPrefix = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const loose = pattern
    .slice(flagPrefix.length)
    .replace(/\[:(\w+):\]/g, (kind, name: string) => POSIX_CLASSES[name] ?? kind);
  return { unicode: toUnicodePattern(loose), loose, flags: [...new Set(flags)].join("") };
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
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

const WORD_CLASS = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";

/** Within a choice of characters, and without one. */
const UNICODE_ESCAPES: Readonly<Record<string, readonly [string, string]>> = {
  "\\w": [WORD_CLASS, `[${WORD_CLASS}]`],
  "\\W": ["\\W", `[^${WORD_CLASS}]`],
  "\\d": ["\\p{Nd}", "\\p{Nd}"],
  "\\D": ["\\P{Nd}", "\\P{Nd}"],
  "\\b": ["\\b", `(?:(?<=[${WORD_CLASS}])(?![${WORD_CLASS}])|(?<![${WORD_CLASS}])(?=[${WORD_CLASS}]))`],
};

function toUnicodePattern(source: string): string {
  let isInClass = false;
  return source.replace(/\\.|[[\]]/gs, (token) => {
    if (!token.startsWith("\\")) {
      isInClass = token === "[";
      return token;
    }
    const [insideClass, outsideClass] = UNICODE_ESCAPES[token] ?? [keepNeededEscape(token), keepNeededEscape(token)];
    return isInClass ? insideClass : outsideClass;
  });
}

/** With the flag `u` no other character may be escaped; a hyphen is spelled so that it may stand anywhere. */
function keepNeededEscape(token: string): string {
  if (token === "\\-") return "\\x2d";
  return /^\\[\w^$\\.*+?()[\]{}|/]/.test(token) ? token : token.slice(1);
}

export type LinePattern =
  | {
      readonly type: "pattern";
      /** Where each line has it first; -1: nowhere. Null: it takes too long. */
      readonly findMatches: (lines: readonly string[]) => readonly number[] | null;
    }
  | { readonly type: "bad"; readonly why: string };

export function compileLinePattern({
  pattern,
  isLiteral = false,
  ignoresCase = false,
}: Omit<GrepQuery, "path">): LinePattern {
  if (!isLiteral && matchesLineBreak(pattern)) return { type: "bad", why: LINE_BREAK_PROBLEM };
  const source = isLiteral ? escapePattern(pattern) : pattern;
  try {
    const expression = compileExpression(source, { ignoresCase });
    const findMatches = (lines: readonly string[]): readonly number[] => lines.map((line) => line.search(expression));
    const isQuick = isLiteral || !REPETITION.test(source);
    return { type: "pattern", findMatches: isQuick ? findMatches : withTimeLimit(findMatches) };
  } catch (error) {
    return { type: "bad", why: error instanceof SyntaxError ? error.message.replace(/^.*: /s, "") : String(error) };
  }
}

/** Other than in a choice of characters, which may well name it as one of those not wanted. */
function matchesLineBreak(pattern: string): boolean {
  return pattern.replace(/\\\\|\[(?:\\.|[^\]])*\]/g, "").includes("\\n");
}

function compileExpression(source: string, { ignoresCase }: { readonly ignoresCase: boolean }): RegExp {
  const { unicode, loose, flags } = toJavaScriptPattern(source);
  const allFlags = ignoresCase && !flags.includes("i") ? `${flags}i` : flags;
  try {
    return new RegExp(unicode, `${allFlags}u`);
  } catch {
    return new RegExp(loose, allFlags);
  }
}

const MATCH_TIMEOUT_MS = 1_000;

/** Without it no expression takes more than the length of the line times its own. */
const REPETITION = /[*+?{]/;

type LineMatcher<Outcome> = (lines: readonly string[]) => Outcome;

/** Node breaks off only what runs as a script, and starts a thread to watch over it. */
function withTimeLimit(findMatches: LineMatcher<readonly number[]>): LineMatcher<readonly number[] | null> {
  const contextGlobals = { act: (): readonly number[] => [] };
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  const context = createContext(contextGlobals);
  const script = new Script("act()");
  return (lines) => {
    contextGlobals.act = () => findMatches(lines);
    try {
      return script.runInContext(context, { timeout: MATCH_TIMEOUT_MS });
    } catch (error) {
      if (isTimeout(error)) return null;
      throw error;
    }
  };
}

/** It comes from the other side, whose errors are none of ours. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
