/** Removes terminal escapes and control characters, escapes prompt markup, resolves look-alike letters and makes texts comparable. */

/** At most so many letters; line ends become spaces. */
export function plainText(text: string, most: number = LETTERS): string {
  // Nothing in the result moves the cursor, changes a colour or reverses the reading direction.
  const start = text.slice(0, most * 20).toWellFormed();
  const words = withoutSequences(start)
    .replace(/(?![\t\n\v\f\r])[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  // Counted in letters, not in halves of them; most texts are short enough either way.
  const letters = words.length > most ? [...words] : [];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : words;
}

/** The same text without colours, titles, links and whatever else a terminal would obey. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, "");
}

const LETTERS = 200;
const ESC = "\u001b";
const BELL = "\u0007";
/** Strings up to their end (titles, links), then commands (colours, the cursor), then the short ones. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESC}\u009c]*(?:${BELL}|${ESC}\\\\|\u009c)?`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Replaces letters of other scripts by the Latin ones they look like. The text must be in lower case. */
export function asLatin(text: string): string {
  return text.replace(FOREIGN, (letter) => LATIN[FOREIGN_LETTERS.indexOf(letter)] ?? letter);
}

/** Letters, and below them what they look like. */
const FOREIGN_LETTERS = "асеорѕіӏһԁυοαηɡſıтмну";
const LATIN = "aceopsilhduoangsitmhy";
const FOREIGN = new RegExp(`[${FOREIGN_LETTERS}]`, "gu");

/**
 * Escapes foreign text for a prompt: nothing in it can pass for a label, an entry number or a tag of ours. Brackets become
 * round and `<` becomes `‹` where they would be ours; all else stays byte for byte. Time is linear.
 */
export function escaped(text: string): string {
  return escapeMarkup(text, (name) => name.length <= LONGEST_NUMBER && NUMBER.test(name));
}

/** The same for a summary, whose citations are ours. */
export function escapeSummary(summary: string): string {
  return escapeMarkup(summary, () => false);
}

function escapeMarkup(text: string, isNumber: (name: string) => boolean): string {
  return text
    .replace(BRACKETED, (whole, inside: string, at: number) => {
      const name = foldForEye(inside);
      const isOurs = isNumber(name) || (LABEL.test(name) && !isIndex(text, { from: at, to: at + whole.length }));
      return isOurs ? `(${inside})` : whole;
    })
    .replace(TAG, (whole) => (isTag(whole.slice(1)) ? `‹${whole.slice(1)}` : whole));
}

const OPEN = "\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗";
const CLOSE = "\\]］】〕〗〙〛⟧⦌⦎⦐❳⁆﹞︺︼︘";
const BRACKETED = new RegExp(`[${OPEN}]([^${OPEN}${CLOSE}]*)[${CLOSE}]`, "gu");

const LABEL = /^(?:user|human|system|assistant(?:thinking|toolcalls?)?|toolresults?|shell|note|attachments?):*$/;
const LONGEST_NUMBER = 1_500;
const NUMBER = /^(?:#\d+|entry:[^\s,;()[\]{}<>]+)(?:[,;&~-]?#\d+|[,;&~-]\d+|[,;]entry:[^\s,;()[\]{}<>]+)*$/;

// `names[user]` begins no line.
function isIndex(text: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return /[\w$)\]]/.test(text[from - 1] ?? "") && !/^\s*[:：]/.test(text.slice(to, to + 9));
}

/** A tag that begins here, up to what could begin or end another. */
const TAG = /[<＜﹤][^<>＜＞﹤﹥]*[>＞﹥]?/gu;

// A comparison has blanks behind its sign, and mostly no `>`.
function isTag(rest: string): boolean {
  const name = foldForEye(rest);
  if (UNMISTAKABLE.test(name)) return true;
  return /^\s/u.test(rest) ? CLOSED.test(name) : WORD.test(name) && !GOES_ON.test(rest);
}

const UNMISTAKABLE = /^\/?(?:conversation|previous-?summary|partial-?summary|read-?files|modified-?files)/;
const CLOSED = /^\/?(?:summary|turn|task|findings)\/?>$/;
const WORD = /^\/?(?:summary|turn|task|findings)/;
/** A longer word, e.g. `<TaskList>`. */
const GOES_ON = /^\/?(?:summary|turn|task|findings)[a-z\d]/i;

/** What is left of a text for the eye: no blanks, no invisible letters, no marks, one form and one size of each letter. */
export function foldForEye(text: string): string {
  const bare = text
    .replace(unseenPattern(), "")
    .normalize("NFKD")
    .replace(/[\p{M}\s]/gu, "")
    .toLowerCase();
  return asLatin(bare).replace(/[\p{Pd}_]/gu, "-");
}

const unseenPattern = (): RegExp => /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]+/gu;

/** For words: without accents. Marks of other scripts stay, they are letters there. */
export function foldAccents(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(accentsPattern(), "").normalize("NFC").toLowerCase().replace(/[’‘ʼ]/g, "'");
}

const PLAIN = /^[\n\r\t -~]*$/;
const accentsPattern = (): RegExp => /[\u0300-\u036f\p{Cf}]/gu;

/** For quotations: the letters stay as they are, but quote marks, brackets, dashes and spaces are told apart no more. */
export function normal(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/["'`*“”„‟‘’‚«»「」『』]/g, "")
    .replace(/[<‹[{]/g, "(")
    .replace(/[>›\]}]/g, ")")
    .replace(/[‐-―−]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Scripts that write words without spaces between them, and Korean, which joins to a word what others set apart. For the
 * inside of a pattern's brackets.
 */
export const JOINED: string = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー";

/** Letters of words that are set apart, for the inside of brackets of a pattern with the flag `v`. */
export const APART: string = `[\\p{L}\\p{M}\\p{N}_]--[${JOINED}]`;

export const isJoined = (text: string): boolean => joinedPattern().test(text);

let joined: RegExp | null = null;
const joinedPattern = (): RegExp => {
  joined ??= new RegExp(`[${JOINED}]`, "u");
  return joined;
};

/** The words of a text as they are compared in quotations; of scripts without spaces, each letter. */
export function wordsIn(text: string): readonly string[] {
  return normal(text).match(wordOrSignPattern()) ?? [];
}

let wordOrSign: RegExp | null = null;
const wordOrSignPattern = (): RegExp => {
  wordOrSign ??= new RegExp(`[${JOINED}]|[${APART}]+`, "gv");
  return wordOrSign;
};
