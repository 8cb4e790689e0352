/** Builds OpenAI's error messages, bodies and events, which both of its protocols use. */

import type { ProviderError } from "../script.ts";
import type { Refusal, ServerEvent } from "./protocol.ts";

export function errorBody({ type, code, message }: ProviderError, status: number): unknown {
  return { error: { message, type: type ?? errorTypeOf(status), param: null, code: code ?? null } };
}

function errorTypeOf(status: number): string {
  if (status >= 500) return "server_error";
  return status === 429 ? "rate_limit_exceeded" : "invalid_request_error";
}

/** With a code, a failed response; without one, an error of the stream. OpenAI sends both. */
export function errorEvent({ type = "server_error", code, message }: ProviderError): ServerEvent {
  if (code === undefined)
    return {
      event: "error",
      data: { type: "error", sequence_number: 1, error: { type, code: null, message, param: null } },
    };
  const response = { id: "resp_failed", object: "response", status: "failed", output: [], error: { code, message } };
  return { event: "response.failed", data: { type: "response.failed", sequence_number: 1, response } };
}

export interface Fault {
  readonly message: string;
  readonly code?: string;
  /** Default: 400. */
  readonly status?: number;
}

export function toRefusal({ status = 400, ...fault }: Fault): Refusal {
  return { status, type: "invalid_request_error", ...fault };
}

export function missingParameter(path: string): Fault {
  return { message: `Missing required parameter: '${path}'.`, code: "missing_required_parameter" };
}

export function unknownParameter(path: string): Fault {
  return { message: `Unknown parameter: '${path}'.`, code: "unknown_parameter" };
}

export function invalidType(path: string, expected: string, value: unknown): Fault {
  return {
    message: `Invalid type for '${path}': expected ${expected}, but got ${describeType(value)} instead.`,
    code: "invalid_type",
  };
}

function describeType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return `a ${typeof value}`;
}

/** The API names only the value; the path is added for readers of the log. */
export function invalidValue(path: string, value: unknown, allowed: readonly string[]): Fault {
  const allowedList = allowed.map((each) => `'${each}'`).join(", ");
  return {
    message: `Invalid value: '${String(value)}'. Supported values are: ${allowedList}. (${path})`,
    code: "invalid_value",
  };
}

export function emptyValue(path: string, valueType: "array" | "string"): Fault {
  const message = `Invalid '${path}': empty ${valueType}. Expected ${valueType === "array" ? "an array" : "a string"} with minimum length 1, but got an empty ${valueType} instead.`;
  return { message, code: `empty_${valueType}` };
}

export function stringTooLong(
  path: string,
  { maxLength, length }: { readonly maxLength: number; readonly length: number },
): Fault {
  return {
    message: `Invalid '${path}': string too long. Expected a string with maximum length ${maxLength}, but got a string with length ${length} instead.`,
    code: "string_above_max_length",
  };
}

export function belowMinimum(path: string, minimum: number, value: unknown): Fault {
  return {
    message: `Invalid '${path}': integer below minimum value. Expected a value >= ${minimum}, but got ${String(value)} instead.`,
    code: "integer_below_min_value",
  };
}

export function patternMismatch(path: string, pattern: string): Fault {
  return {
    message: `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    code: "invalid_value",
  };
}
