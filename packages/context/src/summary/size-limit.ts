/** Limits the length of a summary before any code reads it. */

/** Whether a text is too long to be read as a summary of so many tokens. Compares lengths only, because a check of megabytes would block the program. */
export function isFarTooLong(text: string, tokens: number): boolean {
  return text.length > maxSummaryChars(tokens);
}

/** The maximum number of characters that is read. Slightly longer summaries pass and fail the check of their tokens. */
export function maxSummaryChars(tokens: number): number {
  return Math.min(MAX_CHARS_LIMIT, Math.max(MIN_CHARS_LIMIT, tokens * MAX_CHARS_PER_TOKEN));
}

/** Explains to users why a text was refused. */
export function describeSizeLimit(text: string, tokens: number): string {
  return `the summary has ${text.length} characters; the limit is ${maxSummaryChars(tokens)}`;
}

const MAX_CHARS_PER_TOKEN = 16;
const MIN_CHARS_LIMIT = 64 * 1024;
const MAX_CHARS_LIMIT = 1024 * 1024;
