/** Supplies texts to measure the weights on: files of npm packages, fetched and never committed, and made-up ones. */

import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { between, type Random, random } from "../random.ts";
import { type Kind, lettersOf, many, pick } from "./random-text.ts";

const folder = join(import.meta.dirname, "../../../.peers/texts");

const packages: readonly string[] = [
  "@uppy/locales@5.0.0",
  "bats@1.12.0",
  "bootstrap@5.3.8",
  "emojibase-data@16.0.3",
  "i18n-iso-countries@7.14.0",
  "jquery@3.7.1",
  "nan@2.23.0",
  "npm@11.6.2",
  "react-dom@18.3.1",
  "typescript@5.9.3",
  "vega-datasets@3.2.1",
];

/** The files of each pattern together are one kind. */
const joined: readonly string[] = [
  "npm/docs/content/**/*.md",
  "npm/docs/output/commands/*.html",
  "npm/lib/commands/*.js",
  "npm/man/**/*.[157]",
  "npm/node_modules/*/LICENSE*",
  "npm/node_modules/*/package.json",
  "npm/node_modules/node-gyp/gyp/pylib/**/*.py",
  "bats/{lib,libexec}/**/*",
  "nan/*.h",
];

/** Each file is a kind of its own. */
const single: readonly string[] = [
  "typescript/lib/typescript.{js,d.ts}",
  "typescript/lib/*/diagnosticMessages.generated.json",
  "@uppy/locales/lib/{ar_SA,el_GR,fa_IR,fi_FI,he_IL,hi_IN,hu_HU,ja_JP,ko_KR,ru_RU,th_TH,vi_VN,zh_CN}.js",
  "i18n-iso-countries/langs/{am,bn,hy,ka,sw,ta}.json",
  "emojibase-data/en/{data,messages}.json",
  "vega-datasets/data/{airports,birdstrikes,seattle-weather,stocks}.csv",
  "vega-datasets/data/{earthquakes,flare,flights-2k,jobs,miserables,movies,us-10m}.json",
  "bootstrap/dist/css/bootstrap.{css,min.css,css.map}",
  "jquery/dist/jquery.{js,min.js}",
  "react-dom/umd/react-dom.production.min.js",
];

export function packageTexts(): readonly Kind[] {
  for (const name of packages) fetch(name);
  const texts = joined.map((pattern) => ({ name: pattern, text: files(pattern).map(read).join("\n") }));
  return [
    ...[...texts, ...single.flatMap(files).map((file) => ({ name: file, text: read(file) }))].map(middle),
    middle({ name: "paths", text: files("**/*").join("\n") }),
  ];
}

function files(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function read(file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

const LONGEST = 120_000;

function middle({ name, text }: Kind): Kind {
  const from = Math.max(0, Math.floor((text.length - LONGEST) / 2));
  return { name, text: text.slice(from, from + LONGEST) };
}

function fetch(packed: string): void {
  const home = join(folder, packed.slice(0, packed.lastIndexOf("@")));
  if (existsSync(home)) return;
  mkdirSync(join(home, ".."), { recursive: true });
  const fresh = mkdtempSync(join(folder, ".fetching-"));
  const printed = execFileSync("npm", ["pack", packed, "--silent", "--pack-destination", fresh], { encoding: "utf8" });
  const name = printed.trim().split("\n").at(-1) ?? "";
  execFileSync("tar", ["xzf", join(fresh, name), "-C", fresh]);
  renameSync(join(fresh, "package"), home);
  rmSync(fresh, { recursive: true });
}

/** Kinds that packages hold little of: numbers, ids, tables, words of no language. */
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
