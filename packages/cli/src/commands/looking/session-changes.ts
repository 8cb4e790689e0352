/** Every file that the session's tools changed on this branch: what was there before its first change, and what is there now. Reads, and touches nothing. */

import { isAbsolute, join, relative } from "node:path";
import type { PlannedFile } from "@pith/agent";
import { nodeFiles, originalsFolder } from "@pith/agent/node";
import { idAsName } from "@pith/context/node";
import type { Desk } from "../command.ts";
import { type ChangedFile, changedFile } from "./changed-file.ts";
import type { Patch } from "./file-patch.ts";
import { loggedPatches } from "./logged-patches.ts";

export type DiffPlace = Pick<Desk, "agent" | "cwd" | "home">;

export async function sessionChanges({ agent, cwd, home }: DiffPlace): Promise<readonly ChangedFile[]> {
  const { session } = agent;
  const logged = loggedPatches(await session.store.branch(session.leaf));
  const planned = await agent.previewFiles(null);
  if (planned.length === 0) return [...logged].map(([path, patch]) => toldFile(shownPath(path, cwd), patch));
  const originals = originalsFolder(join(home, "restore", idAsName(session.store.header.id)));
  const files = nodeFiles({ root: cwd });
  const changed: ChangedFile[] = [];
  // One after the other: each may have megabytes.
  for (const file of planned) {
    const before = file.target === null ? null : await originals.read(file.target);
    const found = await files.read(file.path);
    const states = { before, found, logged: logged.get(file.path) ?? null };
    changed.push(changedFile({ ...file, path: shownPath(file.path, cwd) } satisfies PlannedFile, states));
  }
  return changed;
}

/** Where nothing is kept, what tools told is all there is. */
function toldFile(path: string, patch: Patch): ChangedFile {
  const note =
    patch.patch === "" ? "a tool wrote it; how it was before was not kept" : "change by change, as the tools told it";
  return { path, kind: "changed", ...patch, notes: [note] };
}

/** From the folder where it lies inside, else as it is. */
function shownPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near === "" || near.startsWith("..") || isAbsolute(near) ? path : near;
}
