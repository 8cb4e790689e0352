/** How big a context is: the one answer for trigger, meter, cut and statistics. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import type { Message } from "../../message.ts";
import type { ModelName } from "../../request.ts";
import type { Window } from "../../session/window.ts";
import { buildSessionContext } from "../build-context.ts";
import { convertToLlm } from "../convert-to-llm.ts";
import { entryMessage } from "../entry-message.ts";
import { userText } from "../spoken.ts";
import { type Fit, fitOf } from "./calibration.ts";
import { entrySize } from "./entry-size.ts";
import { lessonsOf } from "./lessons.ts";
import { measuredAt, measureOf, replyIn } from "./measure.ts";
import { messageTokens } from "./message-tokens.ts";

export interface ContextSize {
  readonly tokens: number;
  /** By the last reply that can be trusted; 0 if there is none. */
  readonly measured: number;
  /** Of what came since, or of everything. */
  readonly estimated: number;
  /** System prompt and tools, be they in the log or not. */
  readonly fixed: number;
  /** On the wire. */
  readonly bytes: number;
}

export interface SizeParts {
  readonly to?: ModelName;
  /** Tokens that are sent besides the log, where that is known. */
  readonly fixed?: number;
}

/** TOK1: what the last reply on this branch measured, and an estimate of what came since; without one, of everything (TOK3). */
export function contextSize(window: Window, { to, fixed }: SizeParts = {}): ContextSize {
  const at = measuredAt(window, to);
  const reply = replyIn(window.entries[at]);
  const measured = (reply && measureOf(reply)?.total) ?? 0;
  const { size, fits } = lessonsOf(window);
  const fit = fitOf(fits, to ?? reply ?? undefined);
  // What is said to be sent is believed until a reply has measured more.
  const besides = Math.max(fixed ?? 0, fit.overhead);
  const sent = reply ? sentSince(window.entries.slice(at), to) : convertToLlm(buildSessionContext(window).messages, to);
  const estimated = Math.ceil(fit.factor * sent.reduce((sum, message) => sum + messageTokens(message), 0));
  return {
    tokens: measured + estimated + (reply ? 0 : besides),
    measured,
    estimated,
    fixed: Math.ceil(fit.factor * size.system) + besides,
    bytes: size.bytes,
  };
}

/** What one entry adds to a context. */
export function entryTokens(entry: Entry, edit: ContextEditEntry | undefined, { factor }: Fit): number {
  return Math.ceil(factor * entrySize(entry, edit).tokens);
}

/** What one entry adds on the wire. */
export function entryBytes(entry: Entry, edit: ContextEditEntry | undefined): number {
  return entrySize(entry, edit).bytes;
}

// What is sent after a reply, made-up results of its calls included. No edit has changed any of it.
function sentSince(replyAndSince: readonly Entry[], to: ModelName | undefined): readonly Message[] {
  const said = replyAndSince.flatMap((entry) => entryMessage(entry, undefined) ?? []);
  const sent = convertToLlm([userText("a question, for a reply to answer", 0), ...said], to);
  return sent.slice(sent.findIndex(({ role }) => role === "assistant") + 1);
}
