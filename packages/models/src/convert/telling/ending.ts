/** How a reply ended: well, filtered, with an error, or not at all. */

import type { StopReason } from "@pith/context";
import type { Draft } from "./draft.ts";

export type Ending =
  | { readonly type: "ended"; readonly stopReason: StopReason; readonly raw?: string }
  | { readonly type: "filtered"; readonly raw?: string }
  /** Without an end, or with one that only says that something went wrong. */
  | { readonly type: "broken"; readonly raw?: string }
  | { readonly type: "error"; readonly thrown: unknown };

export function endingOf({ finish, error, blocks }: Draft): Ending {
  if (error) return { type: "error", thrown: error.thrown };
  const raw = finish?.raw === undefined ? {} : { raw: finish.raw };
  const calls = blocks.some((block) => block.kind === "call");
  switch (finish?.unified) {
    // Some say `stop` after a call.
    case "stop":
    case "tool-calls":
      return { type: "ended", stopReason: calls ? "toolUse" : "stop", ...raw };
    case "length":
      return { type: "ended", stopReason: "length", ...raw };
    case "content-filter":
      return { type: "filtered", ...raw };
    // A reason that the package does not know. Where words came, they count; without any, nothing was said.
    case "other":
      return blocks.length === 0 ? { type: "broken", ...raw } : { type: "ended", ...otherReason(raw, calls) };
    case "interrupted":
    case "error":
    case undefined:
      return { type: "broken", ...raw };
  }
}

function otherReason(
  { raw }: { readonly raw?: string },
  calls: boolean,
): { readonly stopReason: StopReason; readonly raw?: string } {
  const isCut = raw !== undefined && /length|max_?tokens|context/i.test(raw);
  return { stopReason: isCut ? "length" : calls ? "toolUse" : "stop", ...(raw !== undefined && { raw }) };
}
