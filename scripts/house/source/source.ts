/** One TypeScript file: its text, and the same text with all that is not code blanked, character for character. */

import { codeOnly } from "./code-only.ts";

export interface Source {
  /** From the root of the house, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly code: string;
}

export function source(path: string, text: string): Source {
  return { path, text, code: codeOnly(text) };
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
