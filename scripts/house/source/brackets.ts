/** Bracket pairs in text that `codeOnly` has cleared of strings and comments. */

/** Where the bracket that opens at `open` is closed; the end of the text if it never is. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code.charAt(at);
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character) && --depth === 0) return at;
  }
  return code.length;
}

/** The parts between commas, with what lies in brackets (angle brackets too) left whole; a trailing comma adds none. */
export function parts(list: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < list.length; at++) {
    const character = list.charAt(at);
    if ("([{<".includes(character)) depth++;
    if (")]}".includes(character) || (character === ">" && list[at - 1] !== "=")) depth--;
    if (character !== "," || depth > 0) continue;
    found.push(list.slice(from, at));
    from = at + 1;
  }
  return [...found, list.slice(from)].map((part) => part.trim()).filter((part) => part !== "");
}
