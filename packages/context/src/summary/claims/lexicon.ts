/** Matches texts against word lists, and stems words. */

import { APART, foldAccents, isJoined, JOINED } from "../../text/sanitize.ts";

/** A word of a text, and the lists it stands in. */
export interface Piece<Tag extends string> {
  readonly text: string;
  readonly tags: readonly Tag[];
}

/**
 * Words are set apart by spaces. `word` stands for itself, `word*` for all that begins with it, `two_words` for both in a row.
 * Words of scripts without spaces are patterns, and are found anywhere. Texts must be folded.
 */
export function lexicon<Tag extends string>(
  lists: Readonly<Record<Tag, string>>,
): (text: string) => readonly Piece<Tag>[] {
  const entries = (Object.keys(lists) as Tag[]).flatMap((tag) => wordsOf(lists[tag]).map((word) => ({ word, tag })));
  const spaced = spacedWords(entries.filter(({ word }) => !isJoined(word)));
  const joined = joinedWords(entries.filter(({ word }) => isJoined(word)));
  return (text) => {
    const words = text.match(WORD) ?? [];
    return words.flatMap((word, at) => (isJoined(word) ? joined(word) : [{ text: word, tags: spaced(words, at) }]));
  };
}

interface Listed<Tag> {
  readonly word: string;
  readonly tag: Tag;
}

const wordsOf = (list: string): readonly string[] =>
  foldAccents(list)
    .split(/\s+/)
    .filter((word) => word !== "");

/** Korean words stay together, because what is looked for may go over a space. */
const WORD = new RegExp(
  `[[${JOINED}]--\\p{sc=Hangul}]+|\\p{sc=Hangul}+(?: \\p{sc=Hangul}+)*|(?:[${APART}]|(?<=\\p{L})'(?=\\p{L}))+`,
  "gv",
);

function spacedWords<Tag>(entries: readonly Listed<Tag>[]): (words: readonly string[], at: number) => readonly Tag[] {
  const phrases = entries.map(({ word, tag }) => ({
    parts: word.replace(/\*$/, "").split("_"),
    isOpen: word.endsWith("*"),
    tag,
  }));
  const [open, closed] = [phrases.filter(isOpenWord), phrases.filter((phrase) => !isOpenWord(phrase))];
  const byStart = Map.groupBy(open, ({ parts: [first = ""] }) => first);
  const byFirst = Map.groupBy(closed, ({ parts: [first = ""] }) => first);
  const lengths = [...new Set([...byStart.keys()].map(({ length }) => length))];
  return (words, at) => {
    const word = words[at] ?? "";
    const begun = lengths.flatMap((length) => (length > word.length ? [] : (byStart.get(word.slice(0, length)) ?? [])));
    const whole = (byFirst.get(word) ?? []).filter((phrase) => stands(phrase, { words, at }));
    return [...begun, ...whole].map(({ tag }) => tag);
  };
}

interface Phrase {
  readonly parts: readonly string[];
  /** Whether its last word may go on. */
  readonly isOpen: boolean;
}

const isOpenWord = ({ parts, isOpen }: Phrase): boolean => isOpen && parts.length === 1;

function stands(
  { parts, isOpen }: Phrase,
  { words, at }: { readonly words: readonly string[]; readonly at: number },
): boolean {
  return parts.every((part, offset) => {
    const word = words[at + offset] ?? "";
    return word === part || (isOpen && offset === parts.length - 1 && word.startsWith(part));
  });
}

/** Without what only looks around. */
const lettersOf = (word: string): number => word.replace(/\(\?<?[!=][^)]*\)/g, "").length;

/** Longer words first: they say more than their parts. */
function joinedWords<Tag extends string>(entries: readonly Listed<Tag>[]): (run: string) => readonly Piece<Tag>[] {
  const byWord = [...Map.groupBy(entries, ({ word }) => word)].sort(
    ([one], [other]) => lettersOf(other) - lettersOf(one),
  );
  const tags = byWord.map(([, same]) => same.map(({ tag }) => tag));
  const pattern = new RegExp(byWord.map(([word]) => `(${word.replaceAll("_", " ")})`).join("|") || "(?!)", "gu");
  return (run) => {
    const found = [...run.matchAll(pattern)];
    const gaps = [...found, null].map((match, at) => {
      const before = found[at - 1];
      return run.slice(before ? before.index + before[0].length : 0, match?.index ?? run.length);
    });
    return gaps.flatMap((gap, at) => {
      const [text, ...groups] = found[at] ?? [""];
      const piece = { text: text ?? "", tags: tags[groups.findIndex((group) => group !== undefined)] ?? [] };
      return [{ text: gap, tags: [] }, piece].filter((each) => each.text !== "");
    });
  };
}

/**
 * The source of a pattern for folded text. `word` stands for itself, `word*` for all that begins with it, `two_words` for
 * both in a row. Words of scripts without spaces are patterns themselves and are found anywhere.
 */
export function anyOf(...lists: readonly string[]): string {
  const words = lists.flatMap((list) => list.split(/\s+/)).filter((word) => word !== "");
  const [joined, apart] = [words.filter(isJoined), words.filter((word) => !isJoined(word))];
  const [begun, whole] = [apart.filter((word) => word.endsWith("*")), apart.filter((word) => !word.endsWith("*"))];
  // What bounds a word stands once for all words: it is a large class of letters, and a thousand of them take a second to read.
  const ways = [
    ...(whole.length === 0 ? [] : [`(?:${whole.map(spacedWord).join("|")})(?!${LETTER})`]),
    ...(begun.length === 0 ? [] : [`(?:${begun.map(spacedWord).join("|")})${LETTER}*`]),
  ];
  const spaced = ways.length === 0 ? [] : [`(?<!${LETTER})(?:${ways.join("|")})`];
  return `(?:${[...spaced, ...joined.map((word) => foldAccents(word).replaceAll("_", " "))].join("|")})`;
}

/** For patterns that are used once a text, never for their state. */
export function pattern(source: string): RegExp {
  return new RegExp(source, "u");
}

function spacedWord(word: string): string {
  return foldAccents(word.replace(/\*$/, "")).replaceAll("_", "\\s+");
}

const LETTER = "[\\p{sc=Latin}\\p{sc=Cyrillic}\\p{N}_]";

export function stem(word: string): string {
  const [, bare = word] = ENDING.exec(word.slice(0, LONGEST)) ?? [];
  return bare.replace(/([bdfglmnprt])\1$/, "$1").slice(0, LETTERS);
}

const ENDING = new RegExp(
  [
    "^(.{3,}?)(?:ments?|ings?|ions?|ies|ers?|ed|es|s|e|y",
    "|ungen|ingen|ung|en|em",
    "|ando|iendo|ado|ada|ar|ir|os|as|a|o",
    "|ть|ет|ит|ут|ют|ыи|ая|ое|ые|ов|ам|ах|ы|и|а|у|е|о)$",
  ].join(""),
  "u",
);
const LETTERS = 5;
const LONGEST = 40;
