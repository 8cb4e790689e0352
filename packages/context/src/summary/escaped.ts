/** Foreign text as it may stand in a prompt: nothing in it can pass for a label, an entry number or a tag of ours. */

import { asLatin } from "./look-alikes.ts";

/** Brackets become round and `<` becomes `‹` where they would be ours; all else stays byte for byte. Time is linear. */
export function escaped(text: string): string {
  return text
    .replace(BRACKETED, (whole, inside: string, at: number) => {
      const name = folded(inside);
      const isOurs = NUMBER.test(name) || (LABEL.test(name) && !isIndex(text, { from: at, to: at + whole.length }));
      return isOurs ? `(${inside})` : whole;
    })
    .replace(TAG, (whole) => (isTag(whole.slice(1)) ? `‹${whole.slice(1)}` : whole));
}

const OPEN = "\\[［【〔〖〘〚⟦⦋⦍⦏❲⁅﹝︹︻︗";
const CLOSE = "\\]］】〕〗〙〛⟧⦌⦎⦐❳⁆﹞︺︼︘";
const BRACKETED = new RegExp(`[${OPEN}]([^${OPEN}${CLOSE}]*)[${CLOSE}]`, "gu");

const LABEL = /^(?:user|human|system|assistant(?:thinking|toolcalls?)?|toolresults?|shell|note):*$/;
const NUMBER = /^e\d+(?:[,;&~-]?e\d+|[,;&~-]\d+)*$/;

// `names[user]` begins no line.
function isIndex(text: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return /[\w$)\]]/.test(text[from - 1] ?? "") && !/^\s*[:：]/.test(text.slice(to, to + 9));
}

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
const GOES_ON = /^\/?(?:summary|turn|task|findings)[a-z\d]/i;

/** What is left of a text for the eye: no blanks, no invisible letters, no marks, one form and one size of each letter. */
function folded(text: string): string {
  const bare = text
    .replace(UNSEEN, "")
    .normalize("NFKD")
    .replace(/[\p{M}\s]/gu, "")
    .toLowerCase();
  return asLatin(bare).replace(/[\p{Pd}_]/gu, "-");
}

const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]+/gu;
