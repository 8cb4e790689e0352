/** What OpenAI Chat Completions refuses about what a message holds: nothing at all, empty texts, images out of place. */

import { type Fault, missing, tooShort, wrongKind, wrongValue } from "../openai/fault.ts";
import { detailFaults, imageUrlFaults } from "../openai/images.ts";
import { isObject, type Json } from "../shape.ts";

export function* contentFaults({ role, content }: Json, at: string): Generator<Fault> {
  if (content === undefined) return yield missing(`${at}.content`);
  if (content === null) return yield { message: `Invalid value for 'content': expected a string, got null. (${at})` };
  if (typeof content === "string") return;
  if (!Array.isArray(content)) return yield wrongKind(`${at}.content`, "one of a string or array of objects", content);
  if (content.length === 0) yield tooShort(`${at}.content`, "array");
  for (const [index, part] of content.entries()) {
    const place = { at: `${at}.content[${index}]`, message: at, role: String(role) };
    if (!isObject(part)) yield wrongKind(place.at, "an object", part);
    else yield* partFaults(part, place);
  }
}

interface Place {
  readonly at: string;
  /** Where the message stands. */
  readonly message: string;
  readonly role: string;
}

function* partFaults(part: Json, { at, message, role }: Place): Generator<Fault> {
  if (part.type === undefined) return yield missing(`${at}.type`);
  if (part.type === "text") return yield* textFaults(part, at);
  if (part.type === "image_url") {
    if (role === "user") return yield* pictureFaults(part, at);
    return yield {
      message: `Invalid '${message}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      code: "invalid_value",
    };
  }
  const allowed = kinds[role] ?? ["text"];
  if (!allowed.includes(String(part.type))) yield wrongValue(`${at}.type`, part.type, allowed);
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file", "video_url"],
  assistant: ["text", "refusal"],
};

function* textFaults({ text }: Json, at: string): Generator<Fault> {
  if (text === undefined) yield missing(`${at}.text`);
  else if (typeof text !== "string") yield wrongKind(`${at}.text`, "a string", text);
  else if (text === "") yield tooShort(`${at}.text`, "string");
}

function* pictureFaults({ image_url: image }: Json, at: string): Generator<Fault> {
  if (image === undefined) return yield missing(`${at}.image_url`);
  if (!isObject(image)) return yield wrongKind(`${at}.image_url`, "an object", image);
  yield* imageUrlFaults(image.url, `${at}.image_url.url`);
  yield* detailFaults(image.detail, `${at}.image_url.detail`);
}
