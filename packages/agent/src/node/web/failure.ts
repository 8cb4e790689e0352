/** What went wrong on the network, translated once into our few kinds. */

import type { WebFailed } from "../../tools/fetch/web.ts";
import { codeOf } from "../disk/error-code.ts";
import { ConnectTimeout } from "./ask.ts";
import { failed } from "./outcome.ts";

export interface Limits {
  /** Of whoever asked. */
  readonly signal: AbortSignal;
  /** Runs out when the whole took too long. */
  readonly deadline: AbortSignal;
}

export function failureOf(error: unknown, { signal, deadline }: Limits): WebFailed {
  if (signal.aborted) return failed("aborted", "it was broken off");
  if (deadline.aborted) return failed("timeout", "the page took too long");
  if (error instanceof ConnectTimeout) return failed("timeout", "the host does not answer");
  const code = codeOf(firstOf(error));
  const message = error instanceof Error && error.message !== "" ? error.message : code || "no reason was given";
  return UNREACHABLE.has(code)
    ? failed("unreachable", `the host cannot be reached: ${message}`)
    : failed("broken", `the page could not be read: ${message}`);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
]);

/** Where several addresses were tried, what went wrong with the first. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? firstOf(error.errors[0]) : error;
}
