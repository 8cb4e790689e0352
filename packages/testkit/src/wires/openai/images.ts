/** What OpenAI refuses about an image: how closely it should be looked at, and where it is. */

import { imageFault, webImages } from "../shape.ts";
import { type Fault, wrongKind, wrongValue } from "./fault.ts";

const details = ["low", "high", "auto", "original"];

export function* detailFaults(detail: unknown, at: string): Generator<Fault> {
  if (detail !== undefined && detail !== null && !details.includes(String(detail)))
    yield wrongValue(at, detail, details);
}

/** What lies behind an address is not looked at. */
export function* imageUrlFaults(url: unknown, at: string): Generator<Fault> {
  if (typeof url !== "string") return yield wrongKind(at, "a string", url);
  if (/^https?:\/\//.test(url)) return;
  const [, mediaType, data] = /^data:([^;,]*);base64,([\s\S]*)$/.exec(url) ?? [];
  if (mediaType === undefined) return yield imageUrlFault(at, "a value that is no data URL");
  if (!webImages.includes(mediaType)) yield imageUrlFault(at, `unsupported MIME type '${mediaType}'`);
  else if (imageFault(mediaType, data, webImages)) yield imageUrlFault(at, "data that is not base64");
}

function imageUrlFault(at: string, got: string): Fault {
  return {
    message: `Invalid '${at}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${got}.`,
    code: "invalid_value",
  };
}
