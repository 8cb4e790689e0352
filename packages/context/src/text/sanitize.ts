/** Removes terminal escapes and control characters, escapes prompt markup, resolves look-alike letters and makes texts comparable. */

/** Makes a text safe to show on one line: without control characters and escape sequences, and limited in length. */
export function sanitizeLine(text: string, maxChars: number = MAX_SANITIZED_CHARS): string {
  // A longer beginning has the same characters, except for the last one if it is cut in half. It is only read if this one is too short.
  const line = toSafeLine(text.slice(0, maxChars * 2));
  const isEnough = text.length <= maxChars * 2 || [...line].length > maxChars + 1;
  return limitCodePoints(isEnough ? line : toSafeLine(text.slice(0, maxChars * 20)), maxChars);
}

/** The result cannot move the cursor, change a colour or reverse the reading direction. */
function toSafeLine(text: string): string {
  return removeEscapeSequences(text.toWellFormed())
    .replace(/(?![\t\n\v\f\r])[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}

function limitCodePoints(line: string, maxChars: number): string {
  // Most texts are short enough in UTF-16 units already.
  const chars = line.length > maxChars ? [...line] : [];
  return chars.length > maxChars ? `${chars.slice(0, maxChars - 1).join("")}…` : line;
}

/** Removes terminal escape sequences: colors, titles, links, cursor movement. */
export function removeEscapeSequences(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "");
}

const MAX_SANITIZED_CHARS = 200;
const ESC = "\u001b";
const BELL = "\u0007";
/** Strings with a terminator (titles, links), then CSI commands (colours, cursor), then short escapes. */
const ESCAPE_SEQUENCE = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESC}\u009c]*(?:${BELL}|${ESC}\\\\|\u009c)?`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Replaces letters of other scripts with the Latin ones they look like. The text must be in lower case. */
function foldHomoglyphs(text: string): string {
  return text.replace(HOMOGLYPH, (char) => LATIN_LOOKALIKES[HOMOGLYPHS.indexOf(char)] ?? char);
}

/** Each letter, and at the same index in `LATIN_LOOKALIKES` the Latin letter that it looks like. */
const HOMOGLYPHS = "асеорѕіӏһԁυοαηɡſıтмну";
const LATIN_LOOKALIKES = "aceopsilhduoangsitmhy";
const HOMOGLYPH = new RegExp(`[${HOMOGLYPHS}]`, "gu");

/**
 * Escapes foreign text for a prompt, so that nothing in it looks like one of our labels, entry numbers or tags. Such brackets
 * become round and such a `<` becomes `‹`; everything else stays byte for byte. Time is linear.
 */
export function escapePromptMarkup(text: string): string {
  return escapeMarkup(text, (content) => content.length <= MAX_CITATION_CHARS && CITATION_CONTENT.test(content));
}

/** Escapes a summary for a prompt. Its citations stay, because they are ours. */
export function escapeSummary(summary: string): string {
  return escapeMarkup(summary, () => false);
}

function escapeMarkup(text: string, isCitation: (skeleton: string) => boolean): string {
  return text
    .replace(BRACKET_PAIR, (match, content: string, index: number) => {
      const skeleton = toVisualSkeleton(content);
      const isOurs =
        isCitation(skeleton) ||
        (SPEAKER_LABEL.test(skeleton) && !isArrayIndex(text, { from: index, to: index + match.length }));
      return isOurs ? `(${content})` : match;
    })
    .replace(TAG_LIKE, (match) => (isPromptTag(match.slice(1)) ? `‹${match.slice(1)}` : match));
}

const OPEN_BRACKETS = "\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗";
const CLOSE_BRACKETS = "\\]］】〕〗〙〛⟧⦌⦎⦐❳⁆﹞︺︼︘";
const BRACKET_PAIR = new RegExp(`[${OPEN_BRACKETS}]([^${OPEN_BRACKETS}${CLOSE_BRACKETS}]*)[${CLOSE_BRACKETS}]`, "gu");

const SPEAKER_LABEL =
  /^(?:user|human|system|assistant(?:thinking|toolcalls?)?|toolresults?|shell|note|attachments?):*$/;
const MAX_CITATION_CHARS = 1_500;
const CITATION_CONTENT = /^(?:#\d+|entry:[^\s,;()[\]{}<>]+)(?:[,;&~-]?#\d+|[,;&~-]\d+|[,;]entry:[^\s,;()[\]{}<>]+)*$/;

// `names[user]` is an index, not a label.
function isArrayIndex(text: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return /[\w$)\]]/.test(text[from - 1] ?? "") && !/^\s*[:：]/.test(text.slice(to, to + 9));
}

/** A possible tag, up to the next bracket. */
const TAG_LIKE = /[<＜﹤][^<>＜＞﹤﹥]*[>＞﹥]?/gu;

// A comparison has a space after its sign, and usually no `>`.
function isPromptTag(rest: string): boolean {
  const skeleton = toVisualSkeleton(rest);
  if (PITH_TAG.test(skeleton)) return true;
  return /^\s/u.test(rest)
    ? COMPLETE_COMMON_TAG.test(skeleton)
    : COMMON_TAG_NAME.test(skeleton) && !LONGER_TAG_NAME.test(rest);
}

const PITH_TAG = /^\/?(?:conversation|previous-?summary|partial-?summary|read-?files|modified-?files)/;
const COMPLETE_COMMON_TAG = /^\/?(?:summary|turn|task|findings)\/?>$/;
const COMMON_TAG_NAME = /^\/?(?:summary|turn|task|findings)/;
/** A longer name, e.g. `<TaskList>`. */
const LONGER_TAG_NAME = /^\/?(?:summary|turn|task|findings)[a-z\d]/i;

/** Reduces a text to what it looks like: no spaces, invisible characters or accents, and one form of each letter. */
export function toVisualSkeleton(text: string): string {
  const visibleText = text
    .replace(invisiblePattern(), "")
    .normalize("NFKD")
    .replace(/[\p{M}\s]/gu, "")
    .toLowerCase();
  return foldHomoglyphs(visibleText).replace(/[\p{Pd}_]/gu, "-");
}

const invisiblePattern = (): RegExp => /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]+/gu;

/** Folds a text for comparing words: lower case and without accents. Marks of other scripts stay, because they are letters there. */
export function foldAccents(text: string): string {
  if (ASCII_LINES.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(accentsPattern(), "").normalize("NFC").toLowerCase().replace(/[’‘ʼ]/g, "'");
}

const ASCII_LINES = /^[\n\r\t -~]*$/;
const accentsPattern = (): RegExp => /[\u0300-\u036f\p{Cf}]/gu;

/** Normalizes a text for comparing quotations: quote marks are removed, and brackets, dashes and spaces get one form each. */
function normalizeQuotation(text: string): string {
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
 * Scripts that write words without spaces, and Korean, which attaches particles to words. For use inside the brackets of a
 * pattern.
 */
const SPACELESS_SCRIPT_CHARS: string = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー";

/** Letters of scripts that separate words by spaces, for use inside the brackets of a pattern with the flag `v`. */
const WORD_CHARS: string = `[\\p{L}\\p{M}\\p{N}_]--[${SPACELESS_SCRIPT_CHARS}]`;

/** Splits a text into normalized words for comparing quotations; in scripts without spaces, each character is a word. */
export function splitQuotationWords(text: string): readonly string[] {
  return normalizeQuotation(text).match(quotationWordPattern()) ?? [];
}

let quotationWordCache: RegExp | null = null;
const quotationWordPattern = (): RegExp => {
  quotationWordCache ??= new RegExp(`[${SPACELESS_SCRIPT_CHARS}]|[${WORD_CHARS}]+`, "gv");
  return quotationWordCache;
};
