/** Lists all scenarios, in the order in which a user would meet them. */

import type { Scenario } from "../scenario.ts";
import { abort } from "./abort.ts";
import { compaction, undo } from "./compactions.ts";
import { extension } from "./extension.ts";
import { firstHour } from "./first-hour.ts";
import { keyFound, keyTyped, localFound } from "./first-starts.ts";
import { fork, restore, tree } from "./moves.ts";
import { resize } from "./resize.ts";
import { killed, resume } from "./resumes.ts";
import { permission, steering, task } from "./work.ts";

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
