/** Supplies the texts that the weights are measured on: files of npm packages, downloaded and never committed, and generated texts. */

import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createRandom, type Random, randomInteger } from "../random.ts";
import { generateList, pick, randomLetters, type TextKind } from "./random-text.ts";

const TEXTS_FOLDER = join(import.meta.dirname, "../../../.peers/texts");

const PACKAGES: readonly string[] = [
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

/** All files of a pattern are one kind of text. */
const JOINED_PATTERNS: readonly string[] = [
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

/** Each file is a kind of text. */
const SINGLE_PATTERNS: readonly string[] = [
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

export function readPackageTexts(): readonly TextKind[] {
  for (const name of PACKAGES) fetchPackage(name);
  const texts = JOINED_PATTERNS.map((pattern) => ({
    name: pattern,
    text: listMatches(pattern).map(readText).join("\n"),
  }));
  return [
    ...[...texts, ...SINGLE_PATTERNS.flatMap(listMatches).map((file) => ({ name: file, text: readText(file) }))].map(
      takeMiddle,
    ),
    takeMiddle({ name: "paths", text: listMatches("**/*").join("\n") }),
  ];
}

function listMatches(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: TEXTS_FOLDER, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(TEXTS_FOLDER.length + 1))
    .sort();
}

function readText(file: string): string {
  return readFileSync(join(TEXTS_FOLDER, file), "utf8");
}

const MAX_LENGTH = 120_000;

function takeMiddle({ name, text }: TextKind): TextKind {
  const start = Math.max(0, Math.floor((text.length - MAX_LENGTH) / 2));
  return { name, text: text.slice(start, start + MAX_LENGTH) };
}

function fetchPackage(packageSpec: string): void {
  const target = join(TEXTS_FOLDER, packageSpec.slice(0, packageSpec.lastIndexOf("@")));
  if (existsSync(target)) return;
  mkdirSync(join(target, ".."), { recursive: true });
  const downloadFolder = mkdtempSync(join(TEXTS_FOLDER, ".fetching-"));
  const printed = execFileSync("npm", ["pack", packageSpec, "--silent", "--pack-destination", downloadFolder], {
    encoding: "utf8",
  });
  const name = printed.trim().split("\n").at(-1) ?? "";
  execFileSync("tar", ["xzf", join(downloadFolder, name), "-C", downloadFolder]);
  renameSync(join(downloadFolder, "package"), target);
  rmSync(downloadFolder, { recursive: true });
}

/** Kinds of text that are rare in packages: numbers, ids, tables, random words. */
export function makeTexts(): readonly TextKind[] {
  return [...makeKinds(textMakers, 1), ...[1, 2, 3].flatMap((seed) => makeKinds(nonsenseMakers, seed))];
}

type TextMakers = Readonly<Record<string, (random: Random) => string>>;

function makeKinds(makers: TextMakers, seed: number): readonly TextKind[] {
  return Object.entries(makers).map(([name, make]) => ({ name, text: make(createRandom(seed)) }));
}

const textMakers: TextMakers = {
  "whole numbers": (random) => generateList(5000, () => Math.floor(10 ** (random() * 9))).join(" "),
  fractions: (random) => generateList(4000, () => (random() * 1000).toFixed(randomInteger(random, 0, 7))).join(", "),
  ids: (random) =>
    generateList(2000, () => `${pick(random, PREFIXES)}_${randomLetters(random, BASE62, 24)}`).join("\n"),
  "access log": (random) => generateList(500, () => accessLine(random)).join("\n"),
  table: (random) =>
    generateList(300, (index) => `| ${tableRow(random, index).join(" | ")} |\n+--------+--------------+`).join("\n"),
  "drawn table": (random) =>
    generateList(300, (index) => `│ ${tableRow(random, index).join(" │ ")} │\n├────────┼──────────────┤`).join("\n"),
  tree: (random) => generateList(400, () => branchLine(random)).join("\n"),
  boxes: (random) => generateList(150, () => drawBox(pick(random, CONSTANTS), randomInteger(random, 0, 5))).join("\n"),
  symbols: (random) =>
    generateList(1500, () => `${pick(random, [...SYMBOLS])}${pick(random, ["", " ", " "])}`).join(""),
  rules: (random) =>
    generateList(500, (index) => `${pick(random, [..."=-*#─~"]).repeat(randomInteger(random, 10, 80))} ${index}`).join(
      "\n",
    ),
  constants: (random) => generateList(2000, () => pick(random, CONSTANTS)).join(" "),
};

/** Random words. Kinds that are in no package are repeated, so that they are not underweighted. */
const nonsenseMakers: TextMakers = {
  "random words": (random) =>
    generateList(3000, () => randomLetters(random, LETTERS, randomInteger(random, 3, 10))).join(" "),
  "random syllables": (random) =>
    generateList(3000, () => generateList(randomInteger(random, 1, 4), () => pick(random, SYLLABLES)).join("")).join(
      " ",
    ),
};

function accessLine(random: Random): string {
  const address = generateList(4, () => randomInteger(random, 0, 255)).join(".");
  const time = `${randomInteger(random, 10, 28)}/Oct/2025:13:${randomInteger(random, 10, 59)}:${randomInteger(random, 10, 59)} +0000`;
  const path = `/${pick(random, ["api", "img", "users", "static/js"])}/${randomInteger(random, 0, 9999)}`;
  return `${address} - - [${time}] "GET ${path} HTTP/1.1" ${pick(random, ["200", "304"])} ${randomInteger(random, 0, 50_000)}`;
}

function tableRow(random: Random, index: number): readonly string[] {
  return [String(index).padEnd(6), pick(random, ["alpha", "beta", "gamma", "delta"]).padEnd(12)];
}

function branchLine(random: Random): string {
  return `${"│   ".repeat(randomInteger(random, 0, 3))}${pick(random, ["├", "└"])}── ${pick(random, PREFIXES)}.ts`;
}

function drawBox(word: string, arrow: number): string {
  const edge = "─".repeat(word.length + 2);
  return `┌${edge}┐\n│ ${word} │${"─".repeat(arrow)}▶\n└${edge}┘`;
}

/** Frequent characters occur more often in the list. */
const SYMBOLS = `${"→✓✔✗⚠×≤≥≠°█".repeat(4)}←↑↓⇒⇐↔≈±÷∞∑∏√∂∫∈∉∪∩∀∃∧∨¬ℝℕ✘★☆●○■□▲▼◆◇▶◀☐☑⏱⌘⎯⎿⏺▓▒░²³¹½§©®`;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const BASE62 = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
const PREFIXES = ["call", "req", "msg", "toolu"];
const CONSTANTS = "ERROR WARNING SELECT FROM WHERE TIMEOUT_MS MAX_BUFFER_SIZE HTTP_PROXY NODE_ENV".split(" ");
const SYLLABLES = "ka to rel mi san do vex lin par us ba ne gor thi lum".split(" ");
