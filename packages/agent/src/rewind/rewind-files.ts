/** Puts files back as a plan says, where nobody is in the way. Never writes over what the session did not leave there. */

import { type PlannedFile, plannedFile, type RewindParts } from "./plan-rewind.ts";

export interface RewindAct extends RewindParts {
  /** Only these, whatever becomes of the others. */
  readonly only?: readonly string[];
}

export type Rewound =
  /** Those that are as they should be are not among them. */
  | { readonly type: "rewound"; readonly files: readonly RewoundFile[] }
  /** Nothing was touched, because of these: somebody else's work, or bytes that were not kept. */
  | { readonly type: "refused"; readonly because: readonly PlannedFile[] };

export type RewoundFile =
  | { readonly type: "restored" | "removed"; readonly path: string }
  | { readonly type: "failed"; readonly path: string; readonly message: string };

/** All of the plan or, of the files that are named, all; each is looked at once more before. */
export async function rewindFiles(plan: readonly PlannedFile[], act: RewindAct): Promise<Rewound> {
  const { only } = act;
  const chosen: PlannedFile[] = [];
  for (const file of plan) if (!only || only.includes(file.path)) chosen.push(await plannedFile(file, act));
  const because = chosen.filter(({ type }) => type === "conflict" || type === "lost");
  if (because.length > 0) return { type: "refused", because };
  const files: RewoundFile[] = [];
  for (const file of chosen) if (file.type !== "same") files.push(await rewound(file, act));
  return { type: "rewound", files };
}

async function rewound({ path, target }: PlannedFile, { files, originals }: RewindParts): Promise<RewoundFile> {
  const bytes = target === null ? null : await originals.read(target);
  if (target !== null && bytes === null) return { type: "failed", path, message: `${path} is no longer kept` };
  const done = bytes ? await files.write(path, bytes) : await files.remove(path);
  if (done.type === "refused") return { type: "failed", path, message: done.message };
  return { type: bytes ? "restored" : "removed", path };
}
