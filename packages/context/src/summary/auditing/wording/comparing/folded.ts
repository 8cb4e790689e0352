/** Text made comparable: what differs only in case, width, accents or marks becomes the same. */

/** For words: without accents. Marks of other scripts stay, they are letters there. */
export function folded(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(UNSEEN, "").normalize("NFC").toLowerCase().replace(/[’‘ʼ]/g, "'");
}

const PLAIN = /^[\n\r\t -~]*$/;
const UNSEEN = /[\u0300-\u036f\p{Cf}]/gu;

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
