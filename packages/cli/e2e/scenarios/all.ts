/** Every scenario, in the order in which somebody would meet them. */

import type { Scenario } from "../scenario.ts";
import { abort } from "./abort.ts";
import { compaction } from "./compaction.ts";
import { extension } from "./extension.ts";
import { firstHour } from "./first-hour.ts";
import { fork } from "./fork.ts";
import { keyFound } from "./key-found.ts";
import { keyTyped } from "./key-typed.ts";
import { killed } from "./killed.ts";
import { localFound } from "./local-found.ts";
import { permission } from "./permission.ts";
import { resize } from "./resize.ts";
import { restore } from "./restore.ts";
import { resume } from "./resume.ts";
import { steering } from "./steering.ts";
import { task } from "./task.ts";
import { tree } from "./tree.ts";
import { undo } from "./undo.ts";

export const scenarios: readonly Scenario[] = [
  keyFound,
  keyTyped,
  localFound,
  firstHour,
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
