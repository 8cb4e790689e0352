/** Completes a scripted reply with its ids, signatures and usage. */

import { randomBytes } from "node:crypto";
import type { FinalPart, FinalReply } from "../protocols/protocol.ts";
import { createSignature } from "../protocols/signature.ts";
import type { Reply, ReplyPart, StopReason, TokenUsage } from "../script.ts";
import { countReplyTokens } from "../tokens.ts";

export interface ReplyContext {
  readonly model: string;
  /** The usage of the prompt. */
  readonly promptUsage: Omit<TokenUsage, "output">;
}

export function buildReply(reply: Reply, { model, promptUsage }: ReplyContext): FinalReply {
  const id = randomBytes(12).toString("hex");
  const parts = reply.parts.map((part, index) => buildPart(part, { model, id: `call_${id.slice(0, 16)}${index}` }));
  return {
    id,
    model,
    parts,
    stop: reply.stop ?? defaultStopReason(parts),
    ...(reply.stopAs !== undefined && { stopAs: reply.stopAs }),
    usage: computeReportedUsage(reply.usage, { ...promptUsage, output: countReplyTokens(parts) }),
    chunkSize: reply.pace?.chunk ?? 80,
  };
}

function buildPart(part: ReplyPart, { model, id }: { readonly model: string; readonly id: string }): FinalPart {
  switch (part.type) {
    case "text":
      return { ...part, signature: createSignature(model, part.text) };
    case "thinking":
      return { ...part, redacted: part.redacted === true, signature: createSignature(model, part.text) };
    case "call": {
      const json = JSON.stringify(part.arguments);
      return {
        type: "call",
        name: part.name,
        json,
        id: part.id ?? id,
        signature: createSignature(model, part.name + json),
      };
    }
    case "search":
      return { ...part, id };
  }
}

function defaultStopReason(parts: readonly FinalPart[]): StopReason {
  return parts.some(({ type }) => type === "call") ? "calls" : "stop";
}

function computeReportedUsage(override: Reply["usage"], usage: TokenUsage): TokenUsage | null {
  if (override === "none") return null;
  if (override === "zero") return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  return { ...usage, ...override };
}
