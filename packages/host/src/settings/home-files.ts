/** Lists the data in Pith's home that no tool reads, and the files of a session that is stored elsewhere. */

import { join } from "node:path";
import { sessionsFolder, sidecarFolder } from "@pith/context/node";
import { isInside } from "../trust/project-files.ts";

/** Files and folders of Pith's home that no other user and no tool may read. */
export const PRIVATE_NAMES: readonly string[] = [
  ...["audit", "sessions", "history", "trash", "restore", "caught"],
  ...["keys.json", "redaction.key", "search.db", "windows.json"],
];

/** Files and folders that no tool may read. Other users may have access, or their content belongs to commands. */
const CLOSED_TO_TOOLS: readonly string[] = ["sandbox", "trust.json", "declined.json", "mcp-pins.json"];

/** Everything else in the home, such as settings, skills and agents, stays readable. */
export function listPrivatePaths(home: string): readonly string[] {
  return [...PRIVATE_NAMES, ...CLOSED_TO_TOOLS].map((name) => join(home, name));
}

/** The files of sessions that were opened by a path outside Pith's home: each session file and the folder with its blobs and summary. */
export function listOutsideSessionPaths(sessionPaths: readonly string[], home: string): readonly string[] {
  const folder = sessionsFolder({ PITH_HOME: home });
  return sessionPaths
    .filter((path) => path.endsWith(".jsonl") && !isInside(folder, path))
    .flatMap((path) => [path, sidecarFolder(path)]);
}
