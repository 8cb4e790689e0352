/** What OpenAI Responses refuses about what a message or an output holds: parts of the wrong kind, texts that are none, images. */

import { type Fault, missing, wrongKind, wrongValue } from "../../openai/fault.ts";
import { detailFaults, imageUrlFaults } from "../../openai/images.ts";
import { isObject, type Json } from "../../shape.ts";

export function* contentFaults({ role, content }: Json, at: string): Generator<Fault> {
  const allowed = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  yield* partsFaults(content, { at: `${at}.content`, allowed });
}

export function* outputFaults({ output }: Json, at: string): Generator<Fault> {
  yield* partsFaults(output, { at: `${at}.output`, allowed: ["input_text", "input_image", "input_file"] });
}

interface Place {
  readonly at: string;
  readonly allowed: readonly string[];
}

function* partsFaults(parts: unknown, { at, allowed }: Place): Generator<Fault> {
  if (typeof parts === "string") return;
  if (parts === undefined) return yield missing(at);
  if (!Array.isArray(parts)) return yield wrongKind(at, "one of a string or array of objects", parts);
  for (const [index, part] of parts.entries()) {
    if (!isObject(part)) yield wrongKind(`${at}[${index}]`, "an object", part);
    else yield* partFaults(part, { at: `${at}[${index}]`, allowed });
  }
}

function* partFaults(part: Json, { at, allowed }: Place): Generator<Fault> {
  if (part.type === undefined) return yield missing(`${at}.type`);
  if (!allowed.includes(String(part.type))) return yield wrongValue(`${at}.type`, part.type, allowed);
  if (part.type === "input_image") return yield* pictureFaults(part, at);
  const isText = part.type === "input_text" || part.type === "output_text";
  if (isText && part.text === undefined) yield missing(`${at}.text`);
  else if (isText && typeof part.text !== "string") yield wrongKind(`${at}.text`, "a string", part.text);
}

function* pictureFaults({ image_url: url, file_id, detail }: Json, at: string): Generator<Fault> {
  yield* detailFaults(detail, `${at}.detail`);
  if (typeof file_id === "string" && (url === undefined || url === null)) return;
  if (url === undefined) yield missing(`${at}.image_url`);
  else yield* imageUrlFaults(url, `${at}.image_url`);
}
