/** Structured codes and types that settle the question before any sentence is read. */

/** z.ai numbers it. */
const numbered: ReadonlySet<string> = new Set(["1261"]);
const wholes = ["context", "prompt", "input"];
const excesses = ["exceed", "overflow", "toolong", "toolarge"];
/** What else may be exceeded: a name with one of these is about something else. */
const elsewhere = ["rate", "quota", "minute", "image", "file", "output", "deadline", "time", "schema"];

/** `context_length_exceeded`, `ContextWindowExceededError`, `exceed_context_size_error`, `prompt_too_long` … */
export function isOverflowCode(code: string): boolean {
  const name = joined(code);
  if (numbered.has(name)) return true;
  if (name.length > 60 || elsewhere.some((word) => name.includes(word))) return false;
  return wholes.some((word) => name.includes(word)) && excesses.some((word) => name.includes(word));
}

/** `rate_limit_exceeded`, `ThrottlingException`, `RESOURCE_EXHAUSTED` … */
export function isRateCode(code: string): boolean {
  const name = joined(code);
  return ["ratelimit", "throttl", "toomanyrequests", "resourceexhausted"].some((word) => name.includes(word));
}

/** Codes are compared without case and without what stands between their words. */
export function joined(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, "");
}
