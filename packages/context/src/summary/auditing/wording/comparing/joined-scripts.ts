/** Scripts that write words without spaces between them; Korean has spaces, but joins to a word what others set apart. */

/** For the inside of a pattern's brackets. */
export const JOINED: string = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー";

/** Letters of words that are set apart, for the inside of brackets of a pattern with the flag `v`. */
export const APART: string = `[\\p{L}\\p{M}\\p{N}_]--[${JOINED}]`;

export const isJoined = (text: string): boolean => ANY.test(text);

const ANY = new RegExp(`[${JOINED}]`, "u");
