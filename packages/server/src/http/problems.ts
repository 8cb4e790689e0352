/** Defines the errors of the API, as in RFC 9457. */

/** An error that is the answer to a request. `detail` says what to do. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;

  constructor(code: ProblemCode, detail: string, errors?: readonly FieldError[]) {
    super(detail);
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.errors = errors;
  }
}

/** `at`: where in the request, such as `body/content`. */
export interface FieldError {
  readonly at: string;
  readonly message: string;
}

const PROBLEMS = {
  "invalid-request": { status: 400, title: "The request is not valid" },
  unauthorized: { status: 401, title: "There is no valid token" },
  forbidden: { status: 403, title: "The token does not allow this" },
  "not-found": { status: 404, title: "There is no such thing" },
  "not-allowed": { status: 405, title: "The method is not allowed" },
  "too-slow": { status: 408, title: "The request took too long" },
  conflict: { status: 409, title: "This is not possible now" },
  held: { status: 409, title: "A legal hold forbids this" },
  "too-large": { status: 413, title: "The request is too large" },
  "wrong-type": { status: 415, title: "The content type is not supported" },
  "too-many": { status: 429, title: "There are too many requests" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "The server failed" },
  unavailable: { status: 503, title: "The server is not available" },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

/** The body of an answer. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export function toProblemBody({ code, status, message, errors }: Problem): ProblemBody {
  const { title } = PROBLEMS[code];
  return { type: `urn:pith:problem:${code}`, title, status, detail: message, ...(errors && { errors }) };
}

export function notFound(noun: string): Problem {
  return new Problem("not-found", `there is no such ${noun}`);
}

/** A message may quote what a user wrote, so only the kind of an error is kept, and where it was thrown. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { stack = "", message } = error;
  // A message may have several lines, which stand at its beginning.
  const calls = stack.slice(stack.indexOf(message) + message.length);
  const places = calls.split("\n").filter((line) => /^\s+at /.test(line));
  const { code } = error as { readonly code?: unknown };
  return { kind: error.name, ...(typeof code === "string" && { code }), at: places.slice(0, 5).map((at) => at.trim()) };
}
