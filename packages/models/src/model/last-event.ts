/** The one event that ends every stream: a reply, or why there is none and what had come by then. */

import type { AssistantMessage, ModelEvent, ModelFailure, ModelName, Ports, StopReason } from "@pith/context";
import { type Draft, type Ending, endingOf, messageOf, type Prices } from "../convert/index.ts";
import { failureOf } from "./failure.ts";
import { overflowOf } from "./reply-overflow.ts";
import type { Room } from "./room.ts";
import { Silence } from "./stream-parts.ts";

export interface EventParts {
  readonly name: ModelName;
  readonly prices?: Prices | undefined;
  readonly ports: Pick<Ports, "now">;
  readonly size: Room;
  readonly aborted: boolean;
}

type Last = Extract<ModelEvent, { readonly type: "reply-ended" | "reply-failed" }>;

export function lastEvent(draft: Draft, parts: EventParts): Last {
  const ending = endingOf(draft);
  if (ending.type !== "ended") return failed(draft, parts, failureAt(ending, { ...parts, said: textOf(draft) }));
  const message = written(draft, parts, { stopReason: ending.stopReason });
  const found = overflowOf({ ending, usage: message.usage, size: parts.size, provider: parts.name.provider });
  if (!found) return { type: "reply-ended", message };
  if (!found.keep) return failed(draft, parts, found.failure);
  return { type: "reply-ended", message, overflow: found.failure };
}

function failureAt(
  ending: Exclude<Ending, { readonly type: "ended" }>,
  { name: { provider }, ports, size, aborted, said }: EventParts & { readonly said: string },
): ModelFailure {
  if (aborted) return { kind: "aborted", message: "the reply was aborted" };
  switch (ending.type) {
    case "error":
      if (ending.thrown instanceof Silence)
        return { kind: "unreachable", message: `${provider} ${ending.thrown.message}` };
      return failureOf(ending.thrown, { provider, estimate: size, now: ports.now });
    case "filtered":
      return {
        kind: "refused",
        message: `${provider} stopped the reply: ${said || (ending.raw ?? "it was filtered")}`,
      };
    case "broken":
      return { kind: "unreachable", message: `the reply broke off${ending.raw ? ` (${ending.raw})` : ""}` };
  }
}

/** In a refusal, the words of it. */
function textOf({ blocks }: Draft): string {
  const text = blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");
  return text.replace(/\s+/g, " ").trim().slice(0, 300).toWellFormed();
}

function failed(draft: Draft, parts: EventParts, failure: ModelFailure): Last {
  if (draft.blocks.length === 0 && !draft.usage) return { type: "reply-failed", failure };
  const stopReason = failure.kind === "aborted" ? "aborted" : "error";
  return {
    type: "reply-failed",
    failure,
    message: written(draft, parts, { stopReason, errorMessage: failure.message }),
  };
}

function written(
  draft: Draft,
  { name, prices, ports }: EventParts,
  end: { readonly stopReason: StopReason; readonly errorMessage?: string },
): AssistantMessage {
  return messageOf(draft, { from: name, prices, timestamp: ports.now(), ...end });
}
