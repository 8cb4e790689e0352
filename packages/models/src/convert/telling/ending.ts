/** How a reply ended: well, filtered, with an error, or not at all. */

import type { StopReason } from "@pith/context";
import type { Draft, DraftBlock } from "./draft.ts";

export type Ending =
  | { readonly type: "ended"; readonly stopReason: StopReason; readonly raw?: string }
  | { readonly type: "filtered"; readonly raw?: string }
  /** Without an end, or with one that only says that something went wrong. */
  | { readonly type: "broken"; readonly raw?: string }
  | { readonly type: "error"; readonly thrown: unknown };

export function endingOf({ finish, error, blocks }: Draft): Ending {
  if (error) return { type: "error", thrown: error.thrown };
  const raw = finish?.raw === undefined ? {} : { raw: finish.raw };
  // Some say `stop` after a call.
  const stopReason = blocks.some(({ kind }) => kind === "call") ? "toolUse" : "stop";
  switch (finish?.unified) {
    case "stop":
    case "tool-calls":
      // Also without a word: some end so after results, and would end so again.
      return { type: "ended", stopReason, ...raw };
    case "length":
      return { type: "ended", stopReason: "length", ...raw };
    case "content-filter":
      return { type: "filtered", ...raw };
    // A reason that the package does not know. Where words came, they count; without any, nothing was said.
    case "other":
      if (!blocks.some(isSaid)) return { type: "broken", ...raw };
      if (CUT.test(finish.raw ?? "")) return { type: "ended", stopReason: "length", ...raw };
      return WENT_WRONG.test(finish.raw ?? "") ? { type: "broken", ...raw } : { type: "ended", stopReason, ...raw };
    case "interrupted":
    case "error":
    case undefined:
      return { type: "broken", ...raw };
  }
}

const CUT = /length|max_?tokens|context/i;
const WENT_WRONG = /error|fail|cancel|unexpected|malformed|too_many/i;

// A text without words was only announced.
function isSaid(block: DraftBlock): boolean {
  return block.kind !== "text" || block.text !== "";
}
