/** Creates the built-in file and search tools: `read`, `write` and `editFile`; `runGrep`, `find` and `ls`. */

import type { Tool } from "../tool.ts";
import { editTool } from "./edit/edit.ts";
import { type FileToolOptions, ReadTracker } from "./files.ts";
import { readTool } from "./read/read.ts";
import { findTool, lsTool } from "./search/find-ls.ts";
import { grepTool } from "./search/grep.ts";
import type { SearchToolOptions } from "./search/search.ts";
import { writeTool } from "./write/write.ts";

/** `read`, `write` and `editFile`; write and edit refuse a file that changed since it was read. */
export function fileTools(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): readonly Tool[] {
  return [readTool(options, readTracker), writeTool(options, readTracker), editTool(options, readTracker)];
}

/** `runGrep`, `find` and `ls`. */
export function searchTools(workspace: SearchToolOptions): readonly Tool[] {
  return [grepTool(workspace), findTool(workspace), lsTool(workspace)];
}
