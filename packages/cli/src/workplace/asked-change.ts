/** What a file would become if a call that is asked about were permitted. Reads the file, and changes nothing. */

import { type ChangedText, changedText, type Question } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Vault } from "@pith/context/secrets";

export interface ChangePlace {
  readonly cwd: string;
  /** What is compared has its secrets; whoever shows it takes them out. */
  readonly vault?: Vault | null | undefined;
  /** Of a file that is looked at. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** Null where it is about no file, or where that cannot be told. */
export async function askedChange(
  { tool, arguments: asked }: Question,
  { cwd, vault, mostBytes, signal }: ChangePlace,
): Promise<ChangedText | null> {
  if (tool !== "edit" && tool !== "write") return null;
  const restored = vault?.restored(asked);
  if (restored && restored.type !== "restored") return null;
  const files = nodeFiles({ root: cwd, mostBytes });
  const call = { tool, arguments: restored?.value ?? asked, signal } as const;
  return await changedText(call, { files, redaction: vault ?? undefined });
}
