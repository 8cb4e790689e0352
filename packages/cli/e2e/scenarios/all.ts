/** Every scenario, in the order in which somebody would meet them. */

import type { Scenario } from "../scenario.ts";
import { extension } from "./extending/extension.ts";
import { compaction } from "./keeping/compaction.ts";
import { killed } from "./keeping/killed.ts";
import { resume } from "./keeping/resume.ts";
import { undo } from "./keeping/undo.ts";
import { keyFound } from "./starting/key-found.ts";
import { keyTyped } from "./starting/key-typed.ts";
import { localFound } from "./starting/local-found.ts";
import { fork } from "./walking/fork.ts";
import { restore } from "./walking/restore.ts";
import { tree } from "./walking/tree.ts";
import { abort } from "./working/abort.ts";
import { permission } from "./working/permission.ts";
import { resize } from "./working/resize.ts";
import { steering } from "./working/steering.ts";
import { task } from "./working/task.ts";

export const scenarios: readonly Scenario[] = [
  keyFound,
  keyTyped,
  localFound,
  task,
  permission,
  steering,
  resize,
  compaction,
  undo,
  tree,
  restore,
  fork,
  resume,
  abort,
  killed,
  extension,
];
