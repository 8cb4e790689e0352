/** Reasoning and signatures: they go back to the model that made them, whole and in their place, or not at all. */

import type { ModelName, Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { type BlockPlace, type MessagePlace, replyPlaces, textAt } from "./places.ts";

export const unsignedThinking: Check = (request) =>
  replyPlaces(request)
    .flatMap(thinking)
    .filter(({ block }) => textAt(block, "thinkingSignature") === "")
    .map(({ at }) => `${at}: thinking without a signature`);

export const foreignThinking: Check = (request, model) =>
  foreignReplies(request, model)
    .flatMap(thinking)
    .map(({ at }) => `${at}: thinking of another model`);

/** Signatures beside the thinking: those of texts and calls. */
export const foreignSignatures: Check = (request, model) =>
  foreignReplies(request, model)
    .flatMap(({ blocks }) => blocks)
    .filter(({ block }) => textAt(block, "textSignature") !== "" || textAt(block, "thoughtSignature") !== "")
    .map(({ at }) => `${at}: signature of another model`);

export const trailingThinking: Check = (request) =>
  replyPlaces(request)
    .filter(({ blocks }) => blocks.at(-1)?.type === "thinking")
    .map(({ at }) => `${at}: nothing follows the thinking`);

function thinking({ blocks }: MessagePlace): readonly BlockPlace[] {
  return blocks.filter(({ type }) => type === "thinking");
}

function foreignReplies(request: Request, { api, provider, model }: ModelName): readonly MessagePlace[] {
  return replyPlaces(request).filter(({ message }) => {
    return message.api !== api || message.provider !== provider || message.model !== model;
  });
}
