/** What a session changed in files, as a text that other programs read, too: one unified diff behind the other. Pure. */

import { oneLine } from "../../printing/one-line.ts";
import type { ChangedFile } from "./changed-file.ts";

export function diffText(files: readonly ChangedFile[]): string {
  if (files.length === 0) return NOTHING_CHANGED;
  return [...files.map(fileText), sumsOf(files)].join("\n");
}

export const NOTHING_CHANGED = "no tool changed a file in this session; what commands did is not known";

function fileText({ path, kind, patch, notes }: ChangedFile): string {
  const name = oneLine(path);
  const names = [
    kind === "new" ? "--- /dev/null" : `--- a/${name}`,
    kind === "removed" ? "+++ /dev/null" : `+++ b/${name}`,
  ];
  const remarks = notes.map((note) => `# ${name}: ${note}`);
  return [...remarks, ...(patch === "" ? [] : [...names, patch])].join("\n");
}

export function sumsOf(files: readonly ChangedFile[]): string {
  const [added, removed] = [sumOf(files, "added"), sumOf(files, "removed")];
  return `# ${files.length === 1 ? "1 file" : `${files.length} files`}, +${added} −${removed}`;
}

function sumOf(files: readonly ChangedFile[], field: "added" | "removed"): number {
  return files.reduce((sum, file) => sum + file[field], 0);
}
