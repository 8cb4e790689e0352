/** Creates the built-in file and search tools: `read`, `write`, `edit`, `grep`, `find` and `ls`. */

import type { Tool } from "../tool.ts";
import { editTool } from "./edit/edit.ts";
import { type FileToolOptions, ReadTracker } from "./file-access.ts";
import { readTool } from "./read/read.ts";
import { findTool, grepTool, lsTool, type SearchToolOptions } from "./search.ts";
import { writeTool } from "./write.ts";

/** Creates `read`, `write` and `edit`; if a file changed since it was read, `write` refuses it and `edit` requires exact matches. */
export function fileTools(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): readonly Tool[] {
  return [readTool(options, readTracker), writeTool(options, readTracker), editTool(options, readTracker)];
}

/** Creates `grep`, `find` and `ls`. */
export function searchTools(workspace: SearchToolOptions): readonly Tool[] {
  return [grepTool(workspace), findTool(workspace), lsTool(workspace)];
}
