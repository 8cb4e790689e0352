/** The three tools for files, with one memory of what was read among them. */

import type { Tool } from "../../tool.ts";
import { editTool } from "./edit.ts";
import type { FileParts } from "./file-parts.ts";
import { readTool } from "./read.ts";
import { Reads } from "./reads.ts";
import { writeTool } from "./write.ts";

/** `read`, `write` and `edit`; write and edit refuse a file that changed since it was read. */
export function fileTools(parts: FileParts, reads: Reads = new Reads()): readonly Tool[] {
  return [readTool(parts, reads), writeTool(parts, reads), editTool(parts, reads)];
}
