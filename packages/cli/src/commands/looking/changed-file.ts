/** A file that a session changed, as it was before and as it is now. Plain data, made by a pure function. */

import { type FileRead, type PlannedFile, textOf } from "@pith/agent";
import { filePatch, type Patch } from "./file-patch.ts";

export interface ChangedFile extends Patch {
  /** As seen from the folder one works in. */
  readonly path: string;
  readonly kind: "new" | "changed" | "removed" | "same" | "unreadable";
  /** What a person should know of it, e.g. that somebody else changed it since. */
  readonly notes: readonly string[];
}

export interface States {
  /** Null where no file was, or nobody kept it. */
  readonly before: Uint8Array | null;
  readonly found: FileRead;
  /** What tools told of it; null for nothing. */
  readonly logged: Patch | null;
}

export function changedFile(planned: PlannedFile, { before, found, logged }: States): ChangedFile {
  const { path, target, expected, now } = planned;
  const told = { path, ...nothing };
  if (found.type !== "read" && found.type !== "missing") return { ...told, kind: "unreadable", notes: [found.message] };
  const others = planned.hasOthersWork || now !== expected ? ["others changed it, too"] : [];
  if (now === target) return { ...told, kind: "same", notes: ["it is again as it was before", ...others] };
  const bytes = found.type === "read" ? found.bytes : null;
  const kind = target === null ? "new" : bytes === null ? "removed" : "changed";
  if (target !== null && before === null) return { ...told, ...logged, kind, notes: [UNKEPT, ...others] };
  const patch = patchBetween(before, bytes);
  if (typeof patch === "string") return { ...told, kind, notes: [patch, ...others] };
  return { ...told, kind, ...patch, notes: others };
}

const nothing: Patch = { patch: "", added: 0, removed: 0 };
const UNKEPT = "what it was before was not kept; this is what the tools told";

/** Or why there is none. */
function patchBetween(before: Uint8Array | null, now: Uint8Array | null): Patch | string {
  const sizes = `${before?.length ?? 0} bytes became ${now?.length ?? 0}`;
  const [old, fresh] = [before ? textOf(before) : "", now ? textOf(now) : ""];
  if (old === null || fresh === null) return `it is no text: ${sizes}`;
  return filePatch(old, fresh) ?? `it became another text altogether: ${sizes}`;
}
