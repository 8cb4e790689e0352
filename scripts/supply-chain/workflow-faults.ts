/** Finds what is wrong in the workflows of GitHub: an action that is not pinned to a commit, and missing or wide permissions. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";

const WORKFLOW_FOLDER = ".github";

export function checkWorkflows(root: string): readonly Fault[] {
  return listWorkflowFiles(root).flatMap((path) => checkWorkflow(path, readFileSync(join(root, path), "utf8")));
}

export function listWorkflowFiles(root: string): readonly string[] {
  if (!existsSync(join(root, WORKFLOW_FOLDER))) return [];
  const names = readdirSync(join(root, WORKFLOW_FOLDER), { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => join(WORKFLOW_FOLDER, name));
}

function checkWorkflow(path: string, text: string): readonly Fault[] {
  const lines = text.split("\n");
  const actions = lines.flatMap((line, index) =>
    checkAction(line).map((sentence) => ({ path, line: index + 1, sentence })),
  );
  const isWorkflow = path.startsWith(join(WORKFLOW_FOLDER, "workflows"));
  if (!isWorkflow || lines.some((line) => /^permissions:(?!.*write)/.test(line))) return actions;
  return [
    { path, line: 1, sentence: "has no permissions for all jobs; write permissions: contents: read" },
    ...actions,
  ];
}

/** Every line on which an action may be named has to be in the one form that can be checked by eye. */
function checkAction(line: string): readonly string[] {
  const code = line.replace(/^\s*#.*/, "");
  if (!/(?:^|[\s{,"'-])uses["']?\s*:/.test(code) || PINNED_ACTION.test(code) || LOCAL_ACTION.test(code)) return [];
  return ["names an action without its commit; write uses: owner/name@40-HEX-DIGITS # v1.2.3"];
}

const PINNED_ACTION = /^\s*(?:- )?uses: [\w.-]+\/[\w.-]+(?:\/[\w./-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const LOCAL_ACTION = /^\s*(?:- )?uses: \.\/[\w./-]+$/;
