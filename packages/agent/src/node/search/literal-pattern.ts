/** Plain text as a regular expression that fits nothing else, in ripgrep's language and in ours. */

export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
