/** When Anthropic would refuse to think: it must then be asked without, for this one request. */

import type { AssistantMessage, Message, ModelName, Request } from "@pith/context";

export function mayThink(request: Request, to: ModelName): boolean {
  return !thinksWithinBudget(to) || !(isForced(request) || goesOnWithoutThought(request, to));
}

/** An older Claude: from 4.6 on it decides for itself when to think and how much; not thinking would lose the cache. */
export function thinksWithinBudget({ api, model }: ModelName): boolean {
  return api === "anthropic-messages" && !thinksAsItLikes(model);
}

function thinksAsItLikes(model: string): boolean {
  const [, major = "0", minor = "0"] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6);
}

/** ANT11: told which tool to call, it does not think. */
function isForced({ toolChoice }: Request): boolean {
  return toolChoice !== "auto" && toolChoice !== "none";
}

/** A turn that goes on after results must have begun with thinking, its own: others' thoughts are not sent, nor lost ones. */
function goesOnWithoutThought({ messages }: Request, to: ModelName): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (!messages.slice(last + 1).some(({ role }) => role === "toolResult")) return false;
  const asked = messages.findLastIndex((message, at) => at < last && opensTurn(message));
  const replies = messages.slice(asked + 1).filter((message) => message.role === "assistant");
  return replies[0]?.content[0]?.type !== "thinking" || !replies.every((reply) => isBy(reply, to));
}

function opensTurn({ role }: Message): boolean {
  return role === "user" || role === "system";
}

function isBy({ provider, model }: AssistantMessage, to: ModelName): boolean {
  return provider === to.provider && model === to.model;
}
