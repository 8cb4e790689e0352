/** A story by a hook, a host or a model, as far as the log bears it out: what it makes up of the user or the work is left out. */

import type { Flaw } from "../../summary/auditing/flaw.ts";
import { repaired } from "../../summary/auditing/repair.ts";
import { ANY_FORM, newIn } from "../auditing/audit.ts";
import { claimEvidence } from "../auditing/plan-evidence.ts";
import type { Plan } from "../planning/plan.ts";
import type { Finding } from "../receipt.ts";
import { type Candidate, MODEL_FREE } from "./candidate.ts";

export function mended(plan: Plan, candidate: Candidate): Candidate {
  const { route, story, findings = [] } = candidate;
  // One that is far too long is refused as it is; nobody need read all of it.
  if (route === MODEL_FREE || story.length > LETTERS * plan.checkpoint) return candidate;
  const own = newIn(story, plan);
  const repair = repaired(own, claimEvidence(plan), ANY_FORM);
  if (repair.mended.length === 0) return candidate;
  const carried = story.slice(0, story.length - own.length);
  return { ...candidate, story: `${carried}${repair.story}`, findings: [...findings, ...repair.mended.map(findingOf)] };
}

/** A flaw as a receipt has it: lines of a draft that is gone say nothing. */
export function findingOf({ code, note }: Flaw): Finding {
  return { code, note };
}

/** Letters that a token has at most, in what anybody would call a text. */
const LETTERS = 20;
