/** One block of a reply as Anthropic spells it: as it begins, how it fills, and as it ends. */

import { chunks } from "../wire.ts";

export interface SpelledBlock {
  readonly begun: object;
  readonly deltas: readonly object[];
  readonly finished: object;
}

/** A block that comes in one piece. */
export function inOnePiece(block: object): SpelledBlock {
  return { begun: block, deltas: [], finished: block };
}

/** A call: its input comes as the text of its JSON. */
export function calling(
  frame: object,
  { json, chunk }: { readonly json: string; readonly chunk: number },
): SpelledBlock {
  return {
    begun: { ...frame, input: {} },
    deltas: chunks(json, chunk).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    finished: { ...frame, input: JSON.parse(json) },
  };
}
