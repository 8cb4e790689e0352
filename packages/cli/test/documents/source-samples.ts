/** Reads the five source documents, which lie beside this repository, and the code samples in them, and type-checks the samples as a person's program would be. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const FOLDER = resolve(import.meta.dirname, "../../../../../shared/seeds");

/** By their numbers, 000 to 004. */
export const sourceDocuments: readonly string[] = readDocuments();

function readDocuments(): readonly string[] {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
  if (names.length !== 5)
    throw new Error(
      `The five source documents are not in ${FOLDER} (${names.length} files). These tests read the documents' samples and names from there: put the folder shared beside the repository.`,
    );
  return names.map((name) => readFileSync(join(FOLDER, name), "utf8"));
}

export interface SourceSample {
  /** The number of the document. */
  readonly document: number;
  readonly language: "typescript" | "json" | "plain";
  readonly code: string;
}

/** In the order in which they stand; figures and texts are none. */
export function sourceSamples(): readonly SourceSample[] {
  return sourceDocuments.flatMap((text, document) => [...fenced(text, document), ...plain(text, document)]);
}

export function firstLine({ code }: SourceSample): string {
  return code.split("\n", 1)[0] ?? "";
}

function fenced(text: string, document: number): readonly SourceSample[] {
  return [...text.matchAll(/^```(typescript|json)\n([\s\S]*?)^```/gm)].map(([, language, code = ""]) => ({
    document,
    language: language as SourceSample["language"],
    code,
  }));
}

/** Two of the documents have lost their fences: there a paragraph that begins like code is code. */
function plain(text: string, document: number): readonly SourceSample[] {
  if (text.includes("```")) return [];
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => /^(?:(?:export|import|function|interface|const|if) |\{\n|\w+ = )/.test(paragraph))
    .map((code) => ({ document, language: "plain", code }));
}

/** The sample with only the package of its imports changed. */
export function withOurImports(code: string): string {
  return code.replaceAll('"@mariozechner/pi-coding-agent"', '"@pith/context"');
}

/** Its imports apart from what follows them. */
export function splitImports(code: string): { readonly imports: string; readonly body: string } {
  const lines = withOurImports(code).split("\n");
  const isImport = (line: string): boolean => line.startsWith("import ");
  return {
    imports: lines.filter(isImport).join("\n"),
    body: lines.filter((line) => !isImport(line)).join("\n"),
  };
}

const ROOT = resolve(import.meta.dirname, "../../../..");

/** What the compiler says of these modules, by their names; empty where all is well. */
export function checkTypes(modules: Readonly<Record<string, string>>): string {
  // Below the root, so that they find our packages; in a place that is never committed.
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "documents-"));
  try {
    for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
    const options = { noImplicitReturns: false, allowUnreachableCode: true, tsBuildInfoFile: join(folder, "info") };
    const config = { extends: join(ROOT, "tsconfig.tools.json"), compilerOptions: options, include: ["*.ts"] };
    // A folder called node_modules is left out, unless it is said that nothing is.
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...config, exclude: [], references: [] }));
    return compile(relative(ROOT, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(folder: string): string {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [tsc, "-p", folder], { cwd: ROOT, encoding: "utf8" });
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? error);
  }
}
