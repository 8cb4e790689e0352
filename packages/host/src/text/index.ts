/** Formats, escapes and parses text. */

export * from "./format.ts";
export * from "./jsonc.ts";
export * from "./safe-text.ts";
export * from "./shell-words.ts";
export * from "./usage-error.ts";
