/** The writer that needs no model and never fails: the last one of every compaction. */

import { shortened } from "../../keeping/shortened.ts";
import { modelFreeNotes } from "../../summary/model-free.ts";
import type { Plan } from "../planning/plan.ts";
import { type Candidate, MODEL_FREE, type Writer } from "./candidate.ts";
import { keptByCode } from "./kept.ts";

export const modelFreeWriter: Writer = {
  route: MODEL_FREE,
  isPaid: false,
  write: (plan) => ({ type: "written", candidate: modelFree(plan) }),
};

/** A story that a model wrote before is carried on, and code adds what came since. */
export function modelFree(plan: Plan): Candidate {
  const tokens = Math.floor(plan.checkpoint * NARRATIVE);
  const handle = `entry:${plan.window.entries[plan.window.compactionAt]?.id}`;
  const story = shortened(plan.carried.story, { tokens: Math.floor(tokens * STORY), handle });
  const room = story === "" ? tokens : Math.floor(tokens * (1 - STORY));
  return {
    route: MODEL_FREE,
    story,
    notes: modelFreeNotes({ turns: keptByCode(plan).turns, hasStory: story !== "", tokens: room }),
    covers: new Set(plan.covered.map(({ id }) => id)),
  };
}

/** Of the checkpoint: what code writes is mostly ledger. */
const NARRATIVE = 0.5;
/** Of the narrative: what a story may have that is carried on. */
const STORY = 0.6;
