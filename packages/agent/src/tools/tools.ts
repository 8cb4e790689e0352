/** Creates the built-in file and search tools: `read`, `write` and `edit`; `grep`, `find` and `ls`. */

import type { Tool } from "../tool.ts";
import { editTool } from "./edit/edit.ts";
import { type FileParts, Reads } from "./files.ts";
import { readTool } from "./read/read.ts";
import { findTool, lsTool } from "./search/find-ls.ts";
import { grepTool } from "./search/grep.ts";
import type { SearchParts } from "./search/search.ts";
import { writeTool } from "./write/write.ts";

/** `read`, `write` and `edit`; write and edit refuse a file that changed since it was read. */
export function fileTools(parts: FileParts, reads: Reads = new Reads()): readonly Tool[] {
  return [readTool(parts, reads), writeTool(parts, reads), editTool(parts, reads)];
}

/** `grep`, `find` and `ls`. */
export function searchTools(workspace: SearchParts): readonly Tool[] {
  return [grepTool(workspace), findTool(workspace), lsTool(workspace)];
}
