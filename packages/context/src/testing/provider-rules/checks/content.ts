/** What a message must hold: something, and nothing blank, unreadable or malformed. */

import type { Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { type BlockPlace, isFields, type MessagePlace, messagePlaces, textAt } from "./places.ts";

export const blankTexts: Check = (request) =>
  texts(request)
    .filter(({ block }) => textAt(block, "text").trim() === "")
    .map(({ at }) => `${at}: blank text`);

/** Gemini hangs a signature on an empty text and wants both back. */
export const emptyUnsignedTexts: Check = (request) =>
  texts(request)
    .filter(({ block }) => textAt(block, "text") === "" && textAt(block, "textSignature") === "")
    .map(({ at }) => `${at}: empty text`);

export const messagesWithoutBlocks: Check = (request) =>
  messagePlaces(request)
    .filter(({ role, blocks }) => (role === "user" || role === "assistant") && blocks.length === 0)
    .map(({ at }) => `${at}: no content`);

/** Thinking says nothing here: it travels in a field of its own, beside the content. */
export const mutedMessages: Check = (request) =>
  messagePlaces(request)
    .filter(({ role, blocks }) => role !== "system" && blocks.every(({ type }) => type === "thinking"))
    .map(({ at }) => `${at}: neither content nor call`);

export function unreadableImages(mimeTypes: readonly string[]): Check {
  return (request) =>
    messagePlaces(request)
      .flatMap(({ blocks }) => blocks.filter(({ type }) => type === "image"))
      .flatMap((image) => imageFaults(image, mimeTypes));
}

/** The kinds of image that most providers read. */
export const webImages: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export const argumentsNotObjects: Check = (request) =>
  messagePlaces(request)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === "toolCall"))
    .filter(({ block }) => !isFields(block.arguments))
    .map(({ at }) => `${at}: arguments are no object`);

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

function imageFaults({ at, block }: BlockPlace, mimeTypes: readonly string[]): readonly string[] {
  const mimeType = textAt(block, "mimeType");
  return [
    ...(mimeTypes.includes(mimeType) ? [] : [`${at}: an image of type "${mimeType}"`]),
    ...(base64.test(textAt(block, "data")) ? [] : [`${at}: an image whose data is not base64`]),
  ];
}

function texts(request: Request): readonly BlockPlace[] {
  return messagePlaces(request)
    .filter(isConversation)
    .flatMap(({ blocks }) => blocks.filter(isText));
}

/** A system message may be blank: it can carry tools alone. */
function isConversation({ role }: MessagePlace): boolean {
  return role !== "system";
}

function isText({ type }: BlockPlace): boolean {
  return type === "text";
}
