/** Reads the five source documents, which lie beside this repository, and the code samples in them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

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
