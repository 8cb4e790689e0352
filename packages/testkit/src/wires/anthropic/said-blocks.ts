/** The blocks of a reply in Anthropic's spelling. */

import { sealed } from "../signature.ts";
import { chunks, type Said, type SaidPart } from "../wire.ts";
import { searchBlocks } from "./search.ts";
import { calling, inOnePiece, type SpelledBlock } from "./spelled-block.ts";

export function saidBlocks(said: Said): readonly SpelledBlock[] {
  return said.parts.flatMap((part) => blocksOf(part, said));
}

function blocksOf(part: SaidPart, { model, chunk }: Said): readonly SpelledBlock[] {
  switch (part.type) {
    case "text":
      return [spoken(part.text, chunk)];
    case "call":
      return [calling({ type: "tool_use", id: part.id, name: part.name }, { json: part.json, chunk })];
    case "thinking":
      return [part.redacted ? hidden(part.text, model) : thought(part, chunk)];
    case "search":
      return searchBlocks(part, chunk);
  }
}

function spoken(text: string, chunk: number): SpelledBlock {
  return {
    begun: { type: "text", text: "" },
    deltas: chunks(text, chunk).map((piece) => ({ type: "text_delta", text: piece })),
    finished: { type: "text", text },
  };
}

function hidden(text: string, model: string): SpelledBlock {
  return inOnePiece({ type: "redacted_thinking", data: sealed(model, text) });
}

function thought({ text, signature }: Extract<SaidPart, { readonly type: "thinking" }>, chunk: number): SpelledBlock {
  return {
    begun: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...chunks(text, chunk).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
    finished: { type: "thinking", thinking: text, signature },
  };
}
