/** The items of a reply in the spelling of OpenAI Responses: as they begin, and as they end. */

import { listOf } from "../shape.ts";
import { sealed } from "../signature.ts";
import type { Body, Said, SaidPart, SaidSearch } from "../wire.ts";
import { itemId } from "./ids.ts";

export interface Item {
  readonly id: string;
  readonly part: SaidPart;
  readonly begun: object;
  readonly finished: object;
}

export function items(said: Said, asked: Body): readonly Item[] {
  const tells = listOf(asked.include);
  return said.parts.map((part, at) => item(part, { id: itemId(said, at), model: said.model, tells }));
}

interface Naming {
  readonly id: string;
  readonly model: string;
  /** What the request wants to be told besides. */
  readonly tells: readonly unknown[];
}

function item(part: SaidPart, { id, model, tells }: Naming): Item {
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
      const seal = tells.includes("reasoning.encrypted_content") ? { encrypted_content: sealed(model, part.text) } : {};
      const frame = { id, type: "reasoning", ...seal };
      const summary = part.redacted ? [] : [{ type: "summary_text", text: part.text }];
      return { id, part, begun: { ...frame, summary: [] }, finished: { ...frame, summary } };
    }
    case "search": {
      const frame = { id, type: "web_search_call" };
      const sources = tells.includes("web_search_call.action.sources") ? { sources: sourcesOf(part) } : {};
      const action = { type: "search", query: part.query, queries: [part.query], ...sources };
      return {
        id,
        part,
        begun: { ...frame, status: "in_progress" },
        finished: { ...frame, status: part.error === undefined ? "completed" : "failed", action },
      };
    }
  }
}

function sourcesOf({ results }: SaidSearch): readonly object[] {
  return results.map(({ url }) => ({ type: "url", url }));
}
