/** Supplies texts that the weights were not measured on: files of this repository and of what it installs, and made-up ones. */

import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { random } from "../random.ts";
import { languages } from "./languages.ts";
import { listings, noise, sources } from "./made-up-texts.ts";
import type { Kind } from "./random-text.ts";

const root = join(import.meta.dirname, "../../..");
const biome = "node_modules/@biomejs/biome";

const files: Readonly<Record<string, string>> = {
  TypeScript: "packages/context/src/**/*.ts",
  Markdown: "docs/**/*.md",
  "lock file": "pnpm-lock.yaml",
  "JSON schema": `${biome}/configuration_schema.json`,
  "Chinese README": `${biome}/README.zh-CN.md`,
  "traditional Chinese README": `${biome}/README.zh-TW.md`,
  "Japanese README": `${biome}/README.ja.md`,
  "Korean README": `${biome}/README.kr.md`,
  "Russian README": `${biome}/README.ru.md`,
  "Hindi README": `${biome}/README.hi.md`,
  "French README": `${biome}/README.fr.md`,
  "Polish README": `${biome}/README.pl.md`,
};

/** Or, of a folder, every file as a kind of its own. */
export function heldOutKinds({
  seed,
  corpus,
}: {
  readonly seed: number;
  readonly corpus: string | undefined;
}): readonly Kind[] {
  if (corpus !== undefined) return filesIn(corpus);
  const makers = Object.entries({ ...noise, ...listings, ...sources, ...languages });
  return [
    ...Object.entries(files).map(([name, pattern]) => ({ name, text: read(pattern) })),
    ...makers.map(([name, make]) => ({ name, text: make(random(seed)) })),
  ];
}

function read(pattern: string): string {
  const found = globSync(pattern, { cwd: root }).sort();
  if (found.length === 0) throw new Error(`there is no file ${pattern}; is everything installed?`);
  return found
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")
    .slice(0, LONGEST);
}

const LONGEST = 200_000;

function filesIn(folder: string): readonly Kind[] {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  if (names.length === 0) throw new Error(`--corpus ${folder}: there is no file in it`);
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}
