/** A model as a writer: the covered part is told to it, and what it makes of it is held against the log before it counts. */

import { carriedNarrative } from "../../keeping/front.ts";
import type { ThinkingLevel } from "../../message.ts";
import type { Model } from "../../model.ts";
import type { Ports } from "../../ports.ts";
import { generateSummary } from "../../summary/generate-summary.ts";
import { moderate } from "../../summary/moderate.ts";
import { planEvidence } from "../auditing/plan-evidence.ts";
import { isShown } from "../planning/cut.ts";
import { NARRATIVE, type Plan } from "../planning/plan.ts";
import type { Writer, Written } from "./candidate.ts";
import { findingOf } from "./mended.ts";

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
    async write(plan, { signal, instructions = "", allowance, progress }): Promise<Written> {
      const outcome = await generateSummary({
        model,
        ports,
        ...told(plan),
        instructions,
        tokens: Math.floor(plan.checkpoint * NARRATIVE),
        thinking: thinking ?? moderate(plan.window.state.thinkingLevel),
        evidence: planEvidence(plan),
        ...(allowance && { allowance }),
        progress,
        signal,
      });
      switch (outcome.type) {
        case "summarised": {
          const { story, calls, mended } = outcome;
          const covers = new Set([...outcome.covers, ...hidden(plan)]);
          return {
            type: "written",
            candidate: { route: MODEL, by, story, notes: "", covers, calls, findings: mended.map(findingOf) },
          };
        }
        case "failed":
          return { type: "failed", why: `${outcome.failure.code}: ${outcome.failure.note}`, calls: outcome.calls };
        case "cancelled":
          return outcome;
      }
    },
  };
}

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
