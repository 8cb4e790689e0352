/** Made-up texts to measure the weights on, of kinds that packages hold little of: numbers, ids, tables, words of no language. */

import { between, type Random, random } from "../../random.ts";
import type { Kind } from "../kind.ts";
import { lettersOf, many, pick } from "../made-up/chance.ts";

export function madeUpTexts(): readonly Kind[] {
  return [...kindsOf(texts, 1), ...[1, 2, 3].flatMap((seed) => kindsOf(nonsense, seed))];
}

type Makers = Readonly<Record<string, (next: Random) => string>>;

function kindsOf(makers: Makers, seed: number): readonly Kind[] {
  return Object.entries(makers).map(([name, make]) => ({ name, text: make(random(seed)) }));
}

const texts: Makers = {
  "whole numbers": (next) => many(5000, () => Math.floor(10 ** (next() * 9))).join(" "),
  fractions: (next) => many(4000, () => (next() * 1000).toFixed(between(next, 0, 7))).join(", "),
  ids: (next) => many(2000, () => `${pick(next, PREFIXES)}_${lettersOf(next, BASE62, 24)}`).join("\n"),
  "access log": (next) => many(500, () => accessLine(next)).join("\n"),
  table: (next) => many(300, (at) => `| ${tableRow(next, at).join(" | ")} |\n+--------+--------------+`).join("\n"),
  "drawn table": (next) =>
    many(300, (at) => `│ ${tableRow(next, at).join(" │ ")} │\n├────────┼──────────────┤`).join("\n"),
  tree: (next) => many(400, () => branchLine(next)).join("\n"),
  boxes: (next) => many(150, () => drawnBox(pick(next, CONSTANTS), between(next, 0, 5))).join("\n"),
  symbols: (next) => many(1500, () => `${pick(next, [...SYMBOLS])}${pick(next, ["", " ", " "])}`).join(""),
  rules: (next) => many(500, (at) => `${pick(next, [..."=-*#─~"]).repeat(between(next, 10, 80))} ${at}`).join("\n"),
  constants: (next) => many(2000, () => pick(next, CONSTANTS)).join(" "),
};

/** Letters say nothing about whether a word exists. What no package holds is taken several times, so as not to be under-counted. */
const nonsense: Makers = {
  "random words": (next) => many(3000, () => lettersOf(next, LETTERS, between(next, 3, 10))).join(" "),
  "random syllables": (next) =>
    many(3000, () => many(between(next, 1, 4), () => pick(next, SYLLABLES)).join("")).join(" "),
};

function accessLine(next: Random): string {
  const address = many(4, () => between(next, 0, 255)).join(".");
  const time = `${between(next, 10, 28)}/Oct/2025:13:${between(next, 10, 59)}:${between(next, 10, 59)} +0000`;
  const path = `/${pick(next, ["api", "img", "users", "static/js"])}/${between(next, 0, 9999)}`;
  return `${address} - - [${time}] "GET ${path} HTTP/1.1" ${pick(next, ["200", "304"])} ${between(next, 0, 50_000)}`;
}

function tableRow(next: Random, at: number): readonly string[] {
  return [String(at).padEnd(6), pick(next, ["alpha", "beta", "gamma", "delta"]).padEnd(12)];
}

function branchLine(next: Random): string {
  return `${"│   ".repeat(between(next, 0, 3))}${pick(next, ["├", "└"])}── ${pick(next, PREFIXES)}.ts`;
}

function drawnBox(word: string, arrow: number): string {
  const edge = "─".repeat(word.length + 2);
  return `┌${edge}┐\n│ ${word} │${"─".repeat(arrow)}▶\n└${edge}┘`;
}

/** Those that are seen often stand in it more often. */
const SYMBOLS = `${"→✓✔✗⚠×≤≥≠°█".repeat(4)}←↑↓⇒⇐↔≈±÷∞∑∏√∂∫∈∉∪∩∀∃∧∨¬ℝℕ✘★☆●○■□▲▼◆◇▶◀☐☑⏱⌘⎯⎿⏺▓▒░²³¹½§©®`;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const BASE62 = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
const PREFIXES = ["call", "req", "msg", "toolu"];
const CONSTANTS = "ERROR WARNING SELECT FROM WHERE TIMEOUT_MS MAX_BUFFER_SIZE HTTP_PROXY NODE_ENV".split(" ");
const SYLLABLES = "ka to rel mi san do vex lin par us ba ne gor thi lum".split(" ");
