/** Refuses a summary by its length alone, before anything reads it: an audit of megabytes would hold up the program. */

/** Whether a text is so long that it cannot be a summary of so many tokens; cheap, whatever its length. */
export function isFarTooLong(text: string, tokens: number): boolean {
  return text.length > maxSummaryChars(tokens);
}

/** Characters of a summary of so many tokens at most. What is only somewhat too long is left to the checks, which count tokens. */
export function maxSummaryChars(tokens: number): number {
  return Math.min(LARGEST_SUMMARY_LIMIT, Math.max(SMALLEST_SUMMARY_LIMIT, tokens * MAX_CHARS_PER_TOKEN));
}

/** For people: what was refused, and why. */
export function describeSizeLimit(text: string, tokens: number): string {
  return `the summary has ${text.length} characters; at most ${maxSummaryChars(tokens)} are read`;
}

const MAX_CHARS_PER_TOKEN = 16;
const SMALLEST_SUMMARY_LIMIT = 64 * 1024;
const LARGEST_SUMMARY_LIMIT = 1024 * 1024;
