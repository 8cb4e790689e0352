/** Refuses a summary by its length alone, before anything reads it: an audit of megabytes would hold up the program. */

/** Whether a text is so long that it cannot be a summary of so many tokens; cheap, whatever its length. */
export function isFarTooLong(text: string, tokens: number): boolean {
  return text.length > mostCharacters(tokens);
}

/** Characters of a summary of so many tokens at most. What is only somewhat too long is left to the checks, which count tokens. */
export function mostCharacters(tokens: number): number {
  return Math.min(MOST, Math.max(LEAST, tokens * CHARACTERS_PER_TOKEN));
}

/** For people: what was refused, and why. */
export function describeTooLong(text: string, tokens: number): string {
  return `the summary has ${text.length} characters; at most ${mostCharacters(tokens)} are read`;
}

const CHARACTERS_PER_TOKEN = 16;
const LEAST = 64 * 1024;
const MOST = 1024 * 1024;
