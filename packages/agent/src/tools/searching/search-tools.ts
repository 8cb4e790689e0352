/** The three tools that look around: they change nothing, and what they show is bounded. */

import type { Tool } from "../../tool.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import type { SearchParts } from "./place.ts";

/** `grep`, `find` and `ls`. */
export function searchTools(workspace: SearchParts): readonly Tool[] {
  return [grepTool(workspace), findTool(workspace), lsTool(workspace)];
}
