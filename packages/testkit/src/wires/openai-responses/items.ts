/** The items of a reply in the spelling of OpenAI Responses: as they begin, and as they end. */

import { listOf } from "../shape.ts";
import { sealed } from "../signature.ts";
import type { Body, Said, SaidPart } from "../wire.ts";
import { itemId } from "./ids.ts";

export interface Item {
  readonly id: string;
  readonly part: SaidPart;
  readonly begun: object;
  readonly finished: object;
}

export function items(said: Said, asked: Body): readonly Item[] {
  const tellsSealed = listOf(asked.include).includes("reasoning.encrypted_content");
  return said.parts.map((part, at) => item(part, { id: itemId(said, at), model: said.model, tellsSealed }));
}

interface Naming {
  readonly id: string;
  readonly model: string;
  readonly tellsSealed: boolean;
}

function item(part: SaidPart, { id, model, tellsSealed }: Naming): Item {
  switch (part.type) {
    case "text": {
      const frame = { id, type: "message", role: "assistant" };
      const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
      return {
        id,
        part,
        begun: { ...frame, status: "in_progress", content: [] },
        finished: { ...frame, status: "completed", content },
      };
    }
    case "call": {
      const frame = { id, type: "function_call", call_id: part.id, name: part.name };
      return {
        id,
        part,
        begun: { ...frame, status: "in_progress", arguments: "" },
        finished: { ...frame, status: "completed", arguments: part.json },
      };
    }
    case "thinking": {
      const seal = tellsSealed ? { encrypted_content: sealed(model, part.text) } : {};
      const frame = { id, type: "reasoning", ...seal };
      const summary = part.redacted ? [] : [{ type: "summary_text", text: part.text }];
      return { id, part, begun: { ...frame, summary: [] }, finished: { ...frame, summary } };
    }
  }
}
