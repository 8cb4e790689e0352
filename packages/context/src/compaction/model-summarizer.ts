/** Wraps a model as a summariser, and marks in any summary what the log does not support. */

import { calibrationAt, nameOf, uncalibrated } from "../context/context-size.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Ports } from "../runtime.ts";
import { checkSummary, type Flaw } from "../summary/audit.ts";
import { generateSummary, moderate } from "../summary/generate-summary.ts";
import { isFarTooLong } from "../summary/size-limit.ts";
import { ANY_FORM, newIn, planEvidence } from "./checks.ts";
import { isShown } from "./cut-point.ts";
import { type Candidate, MODEL_FREE, NARRATIVE, type Plan, type Writer, type Written } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { carriedNarrative } from "./summary-message.ts";

/** Marks what a summary by a hook, a host or a model says without support in the log */
export function mended(plan: Plan, candidate: Candidate): Candidate {
  const { route, story, findings = [] } = candidate;
  // One that is far too long is refused as it is; nobody need read all of it.
  const isDone = route === MODEL_FREE || checkedByModel.has(candidate);
  if (isDone || isFarTooLong(story, plan.checkpoint)) return candidate;
  const own = newIn(story, plan);
  const { text, flaws } = checkSummary(own, { ...planEvidence(plan), request: null }, ANY_FORM);
  const carried = story.slice(0, story.length - own.length);
  return { ...candidate, story: `${carried}${text}`, findings: [...findings, ...flaws.map(findingOf)] };
}

/** A flaw as a receipt has it: lines of a draft that is gone say nothing. */
export function findingOf({ code, note }: Flaw): Finding {
  return { code, note };
}

export interface ModelWriting {
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  /** Without it the session's own level, but never more than `medium` (B41). */
  readonly thinking?: ThinkingLevel;
}

/**
 * A model as a writer. A list of models to try is a list of writers; each is told as much at once as its own window
 * holds.
 */
export function modelWriter(model: Model, { ports, thinking }: ModelWriting): Writer {
  const { api, provider, model: name } = model;
  const by = { api, provider, model: name };
  return {
    route: `${provider}/${name}`,
    isPaid: true,
    async write(plan, { signal, instructions = "", allowance, progress, time }): Promise<Written> {
      const outcome = await generateSummary({
        model,
        ports,
        ...told(plan),
        instructions,
        tokens: Math.floor(plan.checkpoint * NARRATIVE),
        thinking: thinking ?? moderate(plan.window.state.thinkingLevel),
        factor: measuredFactor(plan, by),
        evidence: planEvidence(plan),
        ...(allowance && { allowance }),
        progress,
        time,
        signal,
      });
      switch (outcome.type) {
        case "summarised": {
          const { story, calls, mended } = outcome;
          const covers = new Set([...outcome.covers, ...hidden(plan)]);
          const candidate = { route: MODEL, by, story, notes: "", covers, calls, findings: mended.map(findingOf) };
          checkedByModel.add(candidate);
          return { type: "written", candidate };
        }
        case "failed":
          return { type: "failed", why: outcome.failure.note, calls: outcome.calls };
        case "cancelled":
          return outcome;
      }
    },
  };
}

/** Undefined where too little was measured to correct an estimate. */
function measuredFactor({ window }: Plan, by: ModelName): number | undefined {
  const { factor, samples } = calibrationAt(window)[nameOf(by)] ?? uncalibrated;
  return samples >= 1 ? factor : undefined;
}

/** Summaries that were checked when a model wrote them. */
const checkedByModel = new WeakSet<Candidate>();

/** The route of a story that a model wrote. */
const MODEL = "model";

function told({ window, covered, turn, carried }: Plan) {
  const { edits } = window;
  const shown = covered.filter((entry) => isShown(entry, edits));
  const isTurn = new Set(turn);
  return {
    entries: shown.filter((entry) => !isTurn.has(entry)),
    turn: shown.filter((entry) => isTurn.has(entry)),
    edits,
    previous: carriedNarrative(carried),
    isChecked: carried.isChecked,
  };
}

// What the model never saw need not be put before a writer; the summary before was.
function hidden({ covered, window: { edits } }: Plan): readonly string[] {
  return covered.filter((entry) => !isShown(entry, edits)).map(({ id }) => id);
}
