/** The narrative of code itself: it needs no model and never fails. */

import { shortened } from "../../keeping/shortened.ts";
import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { modelFreeNotes } from "../../summary/model-free.ts";
import type { Plan } from "../planning/plan.ts";
import { type Candidate, MODEL_FREE } from "./candidate.ts";
import { keptByCode } from "./kept.ts";

/** A story that a model wrote before is carried on, and code adds what came since. */
export function modelFree(plan: Plan): Candidate {
  const tokens = Math.floor(plan.checkpoint * NARRATIVE);
  const before = plan.window.entries[plan.window.compactionAt];
  const story = carriedStory(plan.carried.story, { tokens: Math.floor(tokens * STORY), handle: `entry:${before?.id}` });
  const room = story === "" ? tokens : Math.floor(tokens * (1 - STORY));
  return {
    route: MODEL_FREE,
    story,
    notes: modelFreeNotes({ turns: keptByCode(plan).turns, hasStory: story !== "", tokens: room }),
    covers: new Set([...plan.covered, ...(before ? [before] : [])].map(({ id }) => id)),
  };
}

// With hardly any room its place is named instead: what it covers can be read again.
function carriedStory(story: string, room: { readonly tokens: number; readonly handle: string }): string {
  const short = shortened(story, room);
  return textTokens(short) <= room.tokens ? short : "";
}

/** Of the checkpoint: what code writes is mostly ledger. */
const NARRATIVE = 0.5;
/** Of the narrative: what a story may have that is carried on. */
const STORY = 0.6;
