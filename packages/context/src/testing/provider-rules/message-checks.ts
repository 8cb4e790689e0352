/** Checks messages: their content, images, Unicode, reasoning, signatures, roles and order. */

import type { ModelName, Request } from "../../model.ts";
import {
  type BlockPlace,
  callPlaces,
  type Fields,
  fields,
  isFields,
  listAt,
  type MessagePlace,
  messagePlaces,
  replyPlaces,
  textAt,
} from "./places.ts";
import type { Check } from "./rule.ts";

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

/** Half of a surrogate pair makes a body that strict JSON parsers refuse. */
export const loneSurrogates: Check = (request) =>
  sentValues(request)
    .filter(([, value]) => !isWellFormed(value))
    .map(([at]) => `${at}: lone surrogate`);

type PlacedValue = readonly [at: string, value: unknown];

function sentValues(request: Request): readonly PlacedValue[] {
  return [
    ...listAt(request, "system").map((section, index): PlacedValue => [`system[${index}]`, section]),
    ...listAt(request, "tools").map((tool, index): PlacedValue => [`tools[${index}]`, tool]),
    ...messagePlaces(request).map(({ at, message }): PlacedValue => [at, sentParts(message)]),
  ];
}

/** What stays at home, such as a result's details, may be as broken as it likes. */
function sentParts(message: Fields): readonly unknown[] {
  return ["content", "sections", "toolsAdded", "toolCallId", "toolName"].map((key) => message[key]);
}

/** Without recursion, so that no depth of arguments overflows the stack. */
function isWellFormed(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string" && !next.isWellFormed()) return false;
    for (const part of parts(next)) waiting.push(part);
  }
  return true;
}

function parts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return Object.entries(fields(value)).flat();
}

export const unsignedThinking: Check = (request) =>
  replyPlaces(request)
    .flatMap(thinking)
    .filter(({ block }) => textAt(block, "thinkingSignature") === "")
    .map(({ at }) => `${at}: thinking without a signature`);

/** Reasoning goes back to the model that made it, whole and in its place, or not at all. */
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

export const unknownRoles: Check = (request) =>
  messagePlaces(request)
    .filter(({ role }) => !knownRoles.has(role))
    .map(({ at, role }) => `${at}: role "${role}" is unknown`);

export const silence: Check = (request) =>
  messagePlaces(request).some(({ role }) => role !== "system") ? [] : ["messages: nobody has said anything"];

/** System messages before the opening go with the system prompt, so they do not count. */
export const openingNotFromUser: Check = (request) => {
  const opening = messagePlaces(request).find(({ role }) => role !== "system");
  return opening === undefined || opening.role === "user" ? [] : [`${opening.at}: the user does not speak first`];
};

/** System messages in between do not part two replies. */
export const successiveReplies: Check = (request) => {
  const spoken = messagePlaces(request).filter(({ role }) => role !== "system");
  return spoken
    .filter(({ role }, index) => role === "assistant" && spoken[index - 1]?.role === "assistant")
    .map(({ at }) => `${at}: a reply follows a reply`);
};

export const callsOutOfTurn: Check = (request) => {
  const places = messagePlaces(request);
  const opening = places.findIndex(({ role }) => role !== "system");
  return places
    .filter((place) => callPlaces(place).length > 0 && !hasTurnBefore(places, opening, place.index))
    .map(({ at }) => `${at}: a call follows no turn of the user or of a tool`);
};

export const failedReplies: Check = (request) =>
  replyPlaces(request)
    .filter(({ message }) => message.stopReason === "error" || message.stopReason === "aborted")
    .map(({ at, message }) => `${at}: a reply that ended in "${message.stopReason}"`);

const knownRoles: ReadonlySet<string> = new Set(["system", "user", "assistant", "toolResult"]);

/** A system message in place is sent as a turn of the user; one before the opening is not a turn. */
function hasTurnBefore(places: readonly MessagePlace[], opening: number, index: number): boolean {
  return index > opening && places[index - 1]?.role !== "assistant";
}
