/** Reads `details.pith`, where Pith stores its data in compactions, branch summaries and tool results. */

import { isObject } from "./json.ts";

/** The fields of `details.pith`. They come from a file, so each is checked by the code that uses it. */
export interface PithDetails {
  /** The parts of the summary message and their lengths (`context/summary-parts.ts`). */
  readonly front?: unknown;
  /** What the compaction did and cost (`compaction/receipt.ts`). */
  readonly receipt?: unknown;
  /** Files, commands and errors (`ledger/ledger.ts`). */
  readonly ledger?: unknown;
  /** A note per turn, for a summary without a model. */
  readonly turns?: unknown;
  /** The question that the first kept message answers. */
  readonly question?: unknown;
  /** Skills that are loaded (`context/loaded-skills.ts`). */
  readonly references?: unknown;
  /** A skill that a tool result loaded. */
  readonly reference?: unknown;
  /** The files that a tool reports it read or modified (`ledger/touched-files.ts`). */
  readonly touched?: unknown;
  /** How estimated tokens compare with reported tokens, by model (`context/context-size.ts`). */
  readonly calibration?: unknown;
  /** Whether the summary was checked against the log. */
  readonly checked?: unknown;
  /** How many model calls the summary took. */
  readonly ownCalls?: unknown;
  /** The cost of the summaries within the last hour. */
  readonly spending?: unknown;
  /** Model, thinking level, tools, pins and queue at this entry (`session/state.ts`). */
  readonly carried?: unknown;
  /** Which branch a branch summary covers (`branches/left-branch.ts`). */
  readonly left?: unknown;
}

/** Returns the fields of `details.pith`, or an empty object if there are none. */
export function readPithDetails(details: unknown): PithDetails {
  return isObject(details) && isObject(details.pith) ? details.pith : {};
}
