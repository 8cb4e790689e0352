/** Where a search looks: as it was asked, for whoever permits it, and as the next call can use what was found there. */

import type { Intent, ToolCall } from "../../tool.ts";
import type { SearchAct, Workspace } from "../../workspace.ts";
import type { Asked } from "../arguments.ts";
import { heldAt } from "../held.ts";

export type SearchParts = Pick<Workspace, "files" | "search">;

/** The workspace itself unless said. */
export function placeOf({ path }: Asked): string {
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

export function lookIntent(asked: Asked, { files }: SearchParts): Intent {
  return { type: "look", paths: [files.resolve(placeOf(asked))] };
}

/** How it is looked for, and what of it may be opened. */
export function searchAct(path: string, call: ToolCall, most: number): SearchAct {
  return { signal: call.signal, most, ...heldAt(path, call), isClosed: call.leave?.isClosed };
}

export function under(folder: string, found: string): string {
  return folder === "." || folder === "./" ? found : `${folder.replace(/\/+$/, "")}/${found}`;
}
