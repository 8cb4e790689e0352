/** Supplies texts that the weights were not measured on: files of this repository and its dependencies, and generated texts. */

import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../random.ts";
import { languageTexts } from "./languages.ts";
import { encodedTexts, listingTexts, sourceTexts } from "./made-up-texts.ts";
import type { TextKind } from "./random-text.ts";

const root = join(import.meta.dirname, "../../..");
const BIOME_FOLDER = "node_modules/@biomejs/biome";

const FILE_PATTERNS: Readonly<Record<string, string>> = {
  TypeScript: "packages/context/src/**/*.ts",
  Markdown: "docs/**/*.md",
  "lock file": "pnpm-lock.yaml",
  "JSON schema": `${BIOME_FOLDER}/configuration_schema.json`,
  "Chinese README": `${BIOME_FOLDER}/README.zh-CN.md`,
  "traditional Chinese README": `${BIOME_FOLDER}/README.zh-TW.md`,
  "Japanese README": `${BIOME_FOLDER}/README.ja.md`,
  "Korean README": `${BIOME_FOLDER}/README.kr.md`,
  "Russian README": `${BIOME_FOLDER}/README.ru.md`,
  "Hindi README": `${BIOME_FOLDER}/README.hi.md`,
  "French README": `${BIOME_FOLDER}/README.fr.md`,
  "Polish README": `${BIOME_FOLDER}/README.pl.md`,
};

/** With a corpus folder, every file is a kind of its own. */
export function listHeldOutTexts({
  seed,
  corpus,
}: {
  readonly seed: number;
  readonly corpus: string | undefined;
}): readonly TextKind[] {
  if (corpus !== undefined) return readFolderTexts(corpus);
  const makers = Object.entries({ ...encodedTexts, ...listingTexts, ...sourceTexts, ...languageTexts });
  return [
    ...Object.entries(FILE_PATTERNS).map(([name, pattern]) => ({ name, text: readPattern(pattern) })),
    ...makers.map(([name, make]) => ({ name, text: make(createRandom(seed)) })),
  ];
}

function readPattern(pattern: string): string {
  const paths = globSync(pattern, { cwd: root }).sort();
  if (paths.length === 0) throw new Error(`there is no file ${pattern}; is everything installed?`);
  return paths
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")
    .slice(0, MAX_LENGTH);
}

const MAX_LENGTH = 200_000;

function readFolderTexts(folder: string): readonly TextKind[] {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  if (names.length === 0) throw new Error(`--corpus ${folder}: there is no file in it`);
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}
