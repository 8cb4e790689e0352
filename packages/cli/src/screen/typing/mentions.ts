/** Files that words name with an @: `@src/a.ts`, or `@"with blanks.md"`. Pure. */

/** Each once, in their order; whether they are there is not known here. */
export function mentions(words: string): readonly string[] {
  const found = [...words.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return [...new Set(found)].filter((path) => path !== "");
}

/** At the beginning of a word: an address such as me@example.org names nothing. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/gu;
