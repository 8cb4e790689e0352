/** All that somebody must see before a folder is trusted, as one value for every screen. */

import type { ProjectText } from "@pith/agent";
import type { HeldFile, UnreadFile } from "./holding/held-file.ts";
import { nameIn } from "./holding/name-in.ts";
import { type Kind, whatCanRun } from "./holding/what-can-run.ts";
import type { Change } from "./keeping/changes.ts";
import type { TrustedFolder } from "./trusted-folder.ts";

export interface TrustQuestion {
  /** The real path of the project. */
  readonly root: string;
  /** `trusted`: there is nothing to ask, only to see. */
  readonly why: "never" | "changed" | "trusted";
  readonly kinds: readonly QuestionKind[];
  readonly changes: readonly Change[];
  /** Never used, trusted or not. */
  readonly unread: readonly UnreadFile[];
  /** Told to the model as text, trusted or not. */
  readonly contextFiles: readonly { readonly name: string; readonly size: number }[];
}

export interface QuestionKind {
  readonly kind: Kind;
  /** What such files can do. */
  readonly says: string;
  readonly files: readonly QuestionFile[];
}

export interface QuestionFile {
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** `texts` are the context files of the project. */
export function trustQuestion(folder: TrustedFolder, texts: readonly ProjectText[]): TrustQuestion {
  const { root, files, unread } = folder.holds;
  return {
    root,
    why: folder.type === "trusted" ? "trusted" : folder.why,
    kinds: kindsOf(files),
    changes: folder.type === "trusted" ? [] : folder.changes,
    unread,
    contextFiles: texts.map(({ path, text }) => ({ name: nameIn(root, path), size: Buffer.byteLength(text) })),
  };
}

function kindsOf(files: readonly HeldFile[]): readonly QuestionKind[] {
  return [...Map.groupBy(whatCanRun, ({ kind }) => kind)].flatMap(([kind, [first]]) => {
    const own = files.filter((file) => file.kind === kind);
    return first && own.length > 0 ? [{ kind, says: first.says, files: own.map(questionFile) }] : [];
  });
}

function questionFile({ name, bytes, hash }: HeldFile): QuestionFile {
  return { name, size: bytes.length, hash, bytes };
}
