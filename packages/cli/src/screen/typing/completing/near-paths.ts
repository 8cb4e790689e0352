/** Paths outside of the folder, as they are written: `~/`, `/` and `../` are completed name by name. */

import type { WorkspaceSearch } from "@pith/agent";

/** Null where the words are none, so that the folder's own files are meant. */
export function outsideFolder(wanted: string): string | null {
  if (!/^(?:~\/|\/|\.\.?\/)/.test(wanted)) return null;
  return wanted.slice(0, wanted.lastIndexOf("/") + 1);
}

export async function namesIn(
  folder: string,
  wanted: string,
  { search, signal }: { readonly search: Pick<WorkspaceSearch, "list">; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found = await search.list(folder, { signal, most: MOST });
  if (found.type !== "found") return [];
  const begun = wanted.slice(folder.length).toLowerCase();
  const names = found.found.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(begun));
  return names.filter((name) => begun.startsWith(".") || !name.startsWith(".")).map((name) => `${folder}${name}`);
}

const MOST = 1_000;
