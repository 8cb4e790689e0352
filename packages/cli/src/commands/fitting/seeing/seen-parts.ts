/** What the model sees now, message by message as it is sent, each with its place: system, front, what was kept, what is new. Pure. */

import {
  buildSessionContext,
  convertToLlm,
  type FrontKind,
  frontParts,
  type Message,
  type ModelName,
  type Window,
} from "@pith/context";
import { seenText } from "./seen-text.ts";

export interface SeenPart {
  readonly place: SeenPlace;
  /** Who says it, for people. */
  readonly who: string;
  readonly text: string;
}

/** `said`: nothing was compacted, so that all of it stands as it was said. */
export type SeenPlace = "system" | "pins" | "words" | "checkpoint" | "kept" | "new" | "said";

export function seenParts(window: Window, to: ModelName | undefined): readonly SeenPart[] {
  const { messages, sources } = buildSessionContext(window);
  const since = new Set(window.entries.slice(window.compactionAt + 1).map(({ id }) => id));
  const firstNew = sources.findIndex((id) => since.has(id));
  const keptCount = firstNew === -1 ? Number.POSITIVE_INFINITY : convertToLlm(messages.slice(0, firstNew), to).length;
  const hasFront = window.compactionAt >= 0;
  const sent = convertToLlm(messages, to);
  const front = hasFront ? sent.findIndex(({ role }) => role === "user") : -1;
  return sent.flatMap((message, at) => {
    if (message.role === "system") return [{ place: "system" as const, ...seenText(message) }];
    if (at === front) return frontSeen(message, window);
    const place: SeenPlace = at < keptCount ? "kept" : "new";
    return [{ place: hasFront ? place : ("said" as const), ...seenText(message) }];
  });
}

/** It is sent in blocks: what stays for long is one each, the checkpoint is the last. */
function frontSeen(message: Message, { entries, compactionAt }: Window): readonly SeenPart[] {
  const compaction = entries[compactionAt];
  const kinds = compaction?.type === "compaction" ? frontParts(compaction).map(({ kind }) => kind) : [];
  const places = [...kinds.filter(isStable), "checkpoint" as const];
  const blocks = typeof message.content === "string" ? [] : message.content;
  if (blocks.length !== places.length) return [{ place: "checkpoint", ...seenText(message), who: PROGRAM }];
  return blocks.map((block, at) => ({
    place: places[at] ?? "checkpoint",
    who: PROGRAM,
    text: block.type === "text" ? block.text : "",
  }));
}

const PROGRAM = "Pith, in your place";

function isStable(kind: FrontKind): kind is "pins" | "words" {
  return kind === "pins" || kind === "words";
}
