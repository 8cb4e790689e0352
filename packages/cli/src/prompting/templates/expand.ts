/** A template with words in its places: once, so that words which look like a place stay what they are. */

/** Where it has no place for words, they stand behind it: nothing that was typed is lost. */
export function expanded(text: string, words: string): string {
  const parts = wordsIn(words);
  let hasPlace = false;
  const filled = text.replace(PLACES, (...found: readonly (string | undefined)[]) => {
    const [, number, from, count] = found;
    hasPlace = true;
    if (number !== undefined) return parts[Number(number) - 1] ?? "";
    if (from === undefined) return words;
    const first = Math.max(0, Number(from) - 1);
    return parts.slice(first, count === undefined ? undefined : first + Number(count)).join(" ");
  });
  return hasPlace || words === "" ? filled : `${filled}\n\n${words}`;
}

/** `$1` to `$9`, `$@` or `$ARGUMENTS` for all, `${@:2}` for all from the second on, `${@:2:3}` for three of those. */
const PLACES = /\$(?:([1-9])(?!\d)|@|ARGUMENTS\b|\{@:(\d{1,4})(?::(\d{1,4}))?\})/g;

/** As a shell would part them, with quotes around what belongs together; a quote without an end is a letter. */
export function wordsIn(words: string): readonly string[] {
  const parts: string[] = [];
  for (const [whole, double, single] of words.matchAll(/"([^"]*)"(?!\S)|'([^']*)'(?!\S)|\S+/g))
    parts.push(double ?? single ?? whole);
  return parts;
}
