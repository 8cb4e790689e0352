/** Builds OpenAI's error messages, bodies and events, in the words that both of its protocols use. */

import type { ProviderError } from "../../script.ts";
import type { Refusal, ServerEvent } from "../protocol.ts";

export interface Fault {
  readonly message: string;
  readonly code?: string;
  /** 400 where it does not say. */
  readonly status?: number;
}

export function refused({ status = 400, ...fault }: Fault): Refusal {
  return { status, type: "invalid_request_error", ...fault };
}

export function missing(name: string): Fault {
  return { message: `Missing required parameter: '${name}'.`, code: "missing_required_parameter" };
}

export function unknown(name: string): Fault {
  return { message: `Unknown parameter: '${name}'.`, code: "unknown_parameter" };
}

export function wrongKind(name: string, expected: string, value: unknown): Fault {
  return {
    message: `Invalid type for '${name}': expected ${expected}, but got ${kindOf(value)} instead.`,
    code: "invalid_type",
  };
}

/** The API names the value; its place is added for whoever reads the log. */
export function wrongValue(name: string, value: unknown, allowed: readonly string[]): Fault {
  const list = allowed.map((each) => `'${each}'`).join(", ");
  return {
    message: `Invalid value: '${String(value)}'. Supported values are: ${list}. (${name})`,
    code: "invalid_value",
  };
}

export function tooShort(name: string, what: "array" | "string"): Fault {
  const message = `Invalid '${name}': empty ${what}. Expected ${what === "array" ? "an array" : "a string"} with minimum length 1, but got an empty ${what} instead.`;
  return { message, code: `empty_${what}` };
}

export function tooLong(name: string, { most, length }: { readonly most: number; readonly length: number }): Fault {
  return {
    message: `Invalid '${name}': string too long. Expected a string with maximum length ${most}, but got a string with length ${length} instead.`,
    code: "string_above_max_length",
  };
}

export function tooLow(name: string, least: number, value: unknown): Fault {
  return {
    message: `Invalid '${name}': integer below minimum value. Expected a value >= ${least}, but got ${String(value)} instead.`,
    code: "integer_below_min_value",
  };
}

export function unlike(name: string, pattern: string): Fault {
  return {
    message: `Invalid '${name}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    code: "invalid_value",
  };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return `a ${typeof value}`;
}

/** The same for both protocols. */
export function errorBody({ type, code, message }: ProviderError, status: number): unknown {
  return { error: { message, type: type ?? typeOf(status), param: null, code: code ?? null } };
}

function typeOf(status: number): string {
  if (status >= 500) return "server_error";
  return status === 429 ? "rate_limit_exceeded" : "invalid_request_error";
}

/** With a code the response has failed; without one the stream itself is in trouble. Both have been seen. */
export function errorEvent({ type = "server_error", code, message }: ProviderError): ServerEvent {
  if (code === undefined)
    return {
      event: "error",
      data: { type: "error", sequence_number: 1, error: { type, code: null, message, param: null } },
    };
  const response = { id: "resp_failed", object: "response", status: "failed", output: [], error: { code, message } };
  return { event: "response.failed", data: { type: "response.failed", sequence_number: 1, response } };
}
