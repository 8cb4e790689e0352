/** Builds the items of a Responses reply. Their ids name the reasoning they were made with, so that no state is needed. */

import { listOf } from "../json.ts";
import type { Body, Said, SaidPart, SaidSearch } from "../protocol.ts";
import { sealed } from "../signature.ts";

/** `fc_r<reply><place><place of its reasoning>`, and `fc_<reply><place>` where none came before it; `rs_x…` where no item follows at once. */
export function itemId({ id, parts }: Said, at: number): string {
  const part = parts[at];
  const next = parts[at + 1]?.type ?? "thinking";
  if (part?.type === "thinking") return `rs_${next === "thinking" ? "x" : ""}${id}${digits(at)}`;
  const reasoning = parts.findLastIndex(({ type }, place) => type === "thinking" && place < at);
  const prefix = part?.type === "call" ? "fc" : part?.type === "search" ? "ws" : "msg";
  return reasoning < 0 ? `${prefix}_${id}${digits(at)}` : `${prefix}_r${id}${digits(at)}${digits(reasoning)}`;
}

/** The reasoning without which an item of this id is refused; null where it needs none. */
export function reasoningOf(id: unknown): string | null {
  const [, reply, reasoning] = /^(?:fc|msg|ws)_r([0-9a-f]{24})[0-9a-f]{3}([0-9a-f]{3})$/.exec(String(id)) ?? [];
  return reply === undefined ? null : `rs_${reply}${reasoning}`;
}

/** Whether an item came right behind this reasoning. */
export function hadItem(id: unknown): boolean {
  return /^rs_[0-9a-f]{27}$/.test(String(id));
}

function digits(at: number): string {
  return at.toString(16).padStart(3, "0");
}

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
