/** Builds the items of a Responses reply. Their ids name the reasoning they were made with, so that no state is needed. */

import { asArray } from "../json.ts";
import type { Body, FinalPart, FinalReply, FinalSearch } from "../protocol.ts";
import { sealText } from "../signature.ts";

/** `fc_r<reply><place><place of its reasoning>`, and `fc_<reply><place>` where none came before it; `rs_x…` where no item follows at once. */
export function createItemId({ id, parts }: FinalReply, position: number): string {
  const part = parts[position];
  const nextType = parts[position + 1]?.type ?? "thinking";
  if (part?.type === "thinking") return `rs_${nextType === "thinking" ? "x" : ""}${id}${toHexDigits(position)}`;
  const reasoningIndex = parts.findLastIndex(({ type }, index) => type === "thinking" && index < position);
  const prefix = part?.type === "call" ? "fc" : part?.type === "search" ? "ws" : "msg";
  return reasoningIndex < 0
    ? `${prefix}_${id}${toHexDigits(position)}`
    : `${prefix}_r${id}${toHexDigits(position)}${toHexDigits(reasoningIndex)}`;
}

/** The reasoning without which an item of this id is refused; null where it needs none. */
export function requiredReasoningId(id: unknown): string | null {
  const [, reply, reasoning] = /^(?:fc|msg|ws)_r([0-9a-f]{24})[0-9a-f]{3}([0-9a-f]{3})$/.exec(String(id)) ?? [];
  return reply === undefined ? null : `rs_${reply}${reasoning}`;
}

/** Whether an item came right behind this reasoning. */
export function hasFollowingItem(id: unknown): boolean {
  return /^rs_[0-9a-f]{27}$/.test(String(id));
}

function toHexDigits(index: number): string {
  return index.toString(16).padStart(3, "0");
}

export interface Item {
  readonly id: string;
  readonly part: FinalPart;
  readonly start: object;
  readonly complete: object;
}

export function createItems(reply: FinalReply, requestBody: Body): readonly Item[] {
  const includes = asArray(requestBody.include);
  return reply.parts.map((part, index) =>
    createItem(part, { id: createItemId(reply, index), model: reply.model, includes }),
  );
}

interface ItemOptions {
  readonly id: string;
  readonly model: string;
  /** What the request wants to be told besides. */
  readonly includes: readonly unknown[];
}

function createItem(part: FinalPart, { id, model, includes }: ItemOptions): Item {
  switch (part.type) {
    case "text": {
      const itemFields = { id, type: "message", role: "assistant" };
      const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress", content: [] },
        complete: { ...itemFields, status: "completed", content },
      };
    }
    case "call": {
      const itemFields = { id, type: "function_call", call_id: part.id, name: part.name };
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress", arguments: "" },
        complete: { ...itemFields, status: "completed", arguments: part.json },
      };
    }
    case "thinking": {
      const encryptedContent = includes.includes("reasoning.encrypted_content")
        ? { encrypted_content: sealText(model, part.text) }
        : {};
      const itemFields = { id, type: "reasoning", ...encryptedContent };
      const summary = part.redacted ? [] : [{ type: "summary_text", text: part.text }];
      return { id, part, start: { ...itemFields, summary: [] }, complete: { ...itemFields, summary } };
    }
    case "search": {
      const itemFields = { id, type: "web_search_call" };
      const sources = includes.includes("web_search_call.action.sources") ? { sources: listSources(part) } : {};
      const action = { type: "search", query: part.query, queries: [part.query], ...sources };
      return {
        id,
        part,
        start: { ...itemFields, status: "in_progress" },
        complete: { ...itemFields, status: part.error === undefined ? "completed" : "failed", action },
      };
    }
  }
}

function listSources({ results }: FinalSearch): readonly object[] {
  return results.map(({ url }) => ({ type: "url", url }));
}
