/** Completes a scripted reply with its ids, signatures and usage. */

import { randomBytes } from "node:crypto";
import type { Said, SaidPart } from "../protocols/protocol.ts";
import { signature } from "../protocols/signature.ts";
import type { Counted, Part, Reply, Stop } from "../script.ts";
import { replyTokens } from "../tokens.ts";

export interface Told {
  readonly model: string;
  /** What the prompt counted. */
  readonly prompt: Omit<Counted, "output">;
}

export function said(reply: Reply, { model, prompt }: Told): Said {
  const id = randomBytes(12).toString("hex");
  const parts = reply.parts.map((part, at) => saidPart(part, { model, id: `call_${id.slice(0, 16)}${at}` }));
  return {
    id,
    model,
    parts,
    stop: reply.stop ?? stopOf(parts),
    ...(reply.stopAs !== undefined && { stopAs: reply.stopAs }),
    usage: usageOf(reply.usage, { ...prompt, output: replyTokens(parts) }),
    chunk: reply.pace?.chunk ?? 80,
  };
}

function saidPart(part: Part, { model, id }: { readonly model: string; readonly id: string }): SaidPart {
  switch (part.type) {
    case "text":
      return { ...part, signature: signature(model, part.text) };
    case "thinking":
      return { ...part, redacted: part.redacted === true, signature: signature(model, part.text) };
    case "call": {
      const json = JSON.stringify(part.arguments);
      return { type: "call", name: part.name, json, id: part.id ?? id, signature: signature(model, part.name + json) };
    }
    case "search":
      return { ...part, id };
  }
}

function stopOf(parts: readonly SaidPart[]): Stop {
  return parts.some(({ type }) => type === "call") ? "calls" : "stop";
}

function usageOf(wish: Reply["usage"], counted: Counted): Counted | null {
  if (wish === "none") return null;
  if (wish === "zero") return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  return { ...counted, ...wish };
}
