/** An error in Google's spelling: the status of HTTP as a number, and Google's own word for it. */

import type { ProviderError } from "../../script.ts";
import type { ServerEvent } from "../wire.ts";

export function errorBody({ type, message }: ProviderError, status: number): object {
  return { error: { code: status, message, status: isWord(type) ? type : wordOf(status) } };
}

export function errorEvent({ type, message }: ProviderError): ServerEvent {
  const status = isWord(type) ? type : "UNAVAILABLE";
  const code = Object.keys(WORDS).find((each) => WORDS[Number(each)] === status) ?? 500;
  return { data: { error: { code: Number(code), message, status } } };
}

const WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function wordOf(status: number): string {
  return WORDS[status] ?? "UNKNOWN";
}

/** A script may be written for another protocol: its words are not Google's. */
function isWord(type: string | undefined): type is string {
  return type !== undefined && /^[A-Z_]+$/.test(type);
}
