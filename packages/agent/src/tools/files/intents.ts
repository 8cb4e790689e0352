/** What a call of a file tool is about to do, for whoever permits it. A call that will only be answered does nothing. */

import type { Intent } from "../../tool.ts";
import type { WorkspaceFiles } from "../../workspace.ts";
import type { Asked } from "../arguments.ts";
import { pathOf, writablePathOf } from "./arguments.ts";
import { asHandle } from "./reading/handle.ts";

export function lookIntent(asked: Asked, files: WorkspaceFiles): Intent {
  const path = pathOf(asked);
  if (path.type === "wrong" || asHandle(path.value)) return { type: "nothing" };
  return { type: "look", paths: [files.resolve(path.value)] };
}

export function changeIntent(asked: Asked, files: WorkspaceFiles): Intent {
  const path = writablePathOf(asked);
  return path.type === "wrong" ? { type: "nothing" } : { type: "change", paths: [files.resolve(path.value)] };
}
