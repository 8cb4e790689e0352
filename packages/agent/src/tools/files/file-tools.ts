/** The three tools for files, with one memory of what was read among them. */

import type { Tool } from "../../tool.ts";
import type { Workspace } from "../../workspace.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { Reads } from "./reads.ts";
import { writeTool } from "./write.ts";

/** `read`, `write` and `edit`; write and edit refuse a file that changed since it was read. */
export function fileTools(workspace: Pick<Workspace, "files">, reads: Reads = new Reads()): readonly Tool[] {
  return [readTool(workspace, reads), writeTool(workspace, reads), editTool(workspace, reads)];
}
