/** Removes terminal escapes and control characters, escapes prompt markup, resolves look-alike letters and makes texts comparable. */

/** At most so many letters; line ends become spaces. */
export function sanitizeLine(text: string, maxChars: number = MAX_SANITIZED_CHARS): string {
  // Nothing in the result moves the cursor, changes a colour or reverses the reading direction.
  const start = text.slice(0, maxChars * 20).toWellFormed();
  const line = removeEscapeSequences(start)
    .replace(/(?![\t\n\v\f\r])[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  // Counted in letters, not in halves of them; most texts are short enough either way.
  const chars = line.length > maxChars ? [...line] : [];
  return chars.length > maxChars ? `${chars.slice(0, maxChars - 1).join("")}…` : line;
}

/** The same text without colours, titles, links and whatever else a terminal would obey. */
export function removeEscapeSequences(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "");
}

const MAX_SANITIZED_CHARS = 200;
const ESC = "\u001b";
const BELL = "\u0007";
/** Strings up to their end (titles, links), then commands (colours, the cursor), then the short ones. */
const ESCAPE_SEQUENCE = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESC}\u009c]*(?:${BELL}|${ESC}\\\\|\u009c)?`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Replaces letters of other scripts by the Latin ones they look like. The text must be in lower case. */
export function foldHomoglyphs(text: string): string {
  return text.replace(HOMOGLYPH, (char) => LATIN_LOOKALIKES[HOMOGLYPHS.indexOf(char)] ?? char);
}

/** Letters, and below them what they look like. */
const HOMOGLYPHS = "асеорѕіӏһԁυοαηɡſıтмну";
const LATIN_LOOKALIKES = "aceopsilhduoangsitmhy";
const HOMOGLYPH = new RegExp(`[${HOMOGLYPHS}]`, "gu");

/**
 * Escapes foreign text for a prompt: nothing in it can pass for a label, an entry number or a tag of ours. Brackets become
 * round and `<` becomes `‹` where they would be ours; all else stays byte for byte. Time is linear.
 */
export function escapePromptMarkup(text: string): string {
  return escapeMarkup(text, (content) => content.length <= MAX_CITATION_CHARS && CITATION_CONTENT.test(content));
}

/** The same for a summary, whose citations are ours. */
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

// `names[user]` begins no line.
function isArrayIndex(text: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return /[\w$)\]]/.test(text[from - 1] ?? "") && !/^\s*[:：]/.test(text.slice(to, to + 9));
}

/** A tag that begins here, up to what could begin or end another. */
const TAG_LIKE = /[<＜﹤][^<>＜＞﹤﹥]*[>＞﹥]?/gu;

// A comparison has blanks behind its sign, and mostly no `>`.
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
/** A longer word, e.g. `<TaskList>`. */
const LONGER_TAG_NAME = /^\/?(?:summary|turn|task|findings)[a-z\d]/i;

/** What is left of a text for the eye: no blanks, no invisible letters, no marks, one form and one size of each letter. */
export function toVisualSkeleton(text: string): string {
  const visibleText = text
    .replace(invisiblePattern(), "")
    .normalize("NFKD")
    .replace(/[\p{M}\s]/gu, "")
    .toLowerCase();
  return foldHomoglyphs(visibleText).replace(/[\p{Pd}_]/gu, "-");
}

const invisiblePattern = (): RegExp => /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]+/gu;

/** For words: without accents. Marks of other scripts stay, they are letters there. */
export function foldAccents(text: string): string {
  if (ASCII_LINES.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(accentsPattern(), "").normalize("NFC").toLowerCase().replace(/[’‘ʼ]/g, "'");
}

const ASCII_LINES = /^[\n\r\t -~]*$/;
const accentsPattern = (): RegExp => /[\u0300-\u036f\p{Cf}]/gu;

/** For quotations: the letters stay as they are, but quote marks, brackets, dashes and spaces are told apart no more. */
export function normalizeQuotation(text: string): string {
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
export const SPACELESS_SCRIPT_CHARS: string = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー";

/** Letters of words that are set apart, for the inside of brackets of a pattern with the flag `v`. */
export const WORD_CHARS: string = `[\\p{L}\\p{M}\\p{N}_]--[${SPACELESS_SCRIPT_CHARS}]`;

export const hasSpacelessScript = (text: string): boolean => spacelessScriptPattern().test(text);

let spacelessScriptCache: RegExp | null = null;
const spacelessScriptPattern = (): RegExp => {
  spacelessScriptCache ??= new RegExp(`[${SPACELESS_SCRIPT_CHARS}]`, "u");
  return spacelessScriptCache;
};

/** The words of a text as they are compared in quotations; of scripts without spaces, each letter. */
export function splitQuotationWords(text: string): readonly string[] {
  return normalizeQuotation(text).match(quotationWordPattern()) ?? [];
}

let quotationWordCache: RegExp | null = null;
const quotationWordPattern = (): RegExp => {
  quotationWordCache ??= new RegExp(`[${SPACELESS_SCRIPT_CHARS}]|[${WORD_CHARS}]+`, "gv");
  return quotationWordCache;
};
