/** Foreign text as it may stand in a prompt: nothing in it can pass for a label, an entry number or a tag of ours. */

/** Brackets become round and `<` becomes `‹` where they would be ours; all else stays byte for byte. Time is linear. */
export function escaped(text: string): string {
  return text
    .replace(BRACKETED, (whole, inside: string) => (LABEL.test(folded(inside)) ? `(${inside})` : whole))
    .replace(TAG, (whole) => (isTag(whole.slice(1)) ? `‹${whole.slice(1)}` : whole));
}

const OPEN = "\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗";
const CLOSE = "\\]］】〕〗〙〛⟧⦌⦎⦐❳⁆﹞︺︼︘";
const BRACKETED = new RegExp(`[${OPEN}]([^${OPEN}${CLOSE}]*)[${CLOSE}]`, "gu");

const LABEL =
  /^(?:(?:user|human|system|assistant(?:thinking|toolcalls?)?|toolresults?|shell|note):*|e\d+(?:[,;&~-]?e\d+|[,;&~-]\d+)*)$/;

/** A tag that begins here, up to what could begin or end another. */
const TAG = /[<＜﹤][^<>＜＞﹤﹥]*[>＞﹥]?/gu;

// A comparison has blanks behind its sign, and mostly no `>`.
function isTag(rest: string): boolean {
  const name = folded(rest);
  if (UNMISTAKABLE.test(name)) return true;
  return /^\s/u.test(rest) ? CLOSED.test(name) : WORD.test(name) && !GOES_ON.test(rest);
}

const UNMISTAKABLE = /^\/?(?:conversation|previous-?summary|partial-?summary|read-?files|modified-?files)/;
const CLOSED = /^\/?(?:summary|turn|task|findings)\/?>$/;
const WORD = /^\/?(?:summary|turn|task|findings)/;
/** A longer word, e.g. `<TaskList>`. */
const GOES_ON = /^\/?(?:summary|turn|task|findings)[\p{L}\p{N}]/iu;

/** What is left of a text for the eye: no blanks, no invisible letters, no marks, one form and one size of each letter. */
function folded(text: string): string {
  return text
    .replace(UNSEEN, "")
    .slice(0, LONGEST)
    .normalize("NFKD")
    .replace(/[\p{M}\s]/gu, "")
    .toLowerCase()
    .replace(LOOK_ALIKE, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replace(/[\p{Pd}_]/gu, "-");
}

const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]+/gu;
/** Letters from which nothing is a label any more. */
const LONGEST = 200;

const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "аa",
    "сc",
    "еe",
    "оo",
    "рp",
    "ѕs",
    "іi",
    "ӏl",
    "һh",
    "ԁd",
    "υu",
    "οo",
    "αa",
    "ηn",
    "ɡg",
    "ſs",
    "ıi",
    "тt",
    "мm",
    "нh",
    "уy",
  ].map(([letter = "", like = ""]) => [letter, like]),
);
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join("")}]`, "gu");
