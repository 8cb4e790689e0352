/** Signs that models write in their plain form. Each has one plain sign in its place, so that places in a text stay what they are. */

export function plainSigns(text: string): string {
  return text.replace(FANCY, (sign) => {
    if (SINGLE.includes(sign)) return "'";
    if (DOUBLE.includes(sign)) return '"';
    return DASHES.includes(sign) ? "-" : " ";
  });
}

const SINGLE = "\u2018\u2019\u201a\u201b\u2032";
const DOUBLE = "\u201c\u201d\u201e\u201f\u2033";
const DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212";
const BLANKS = "\u00a0\u2002-\u200a\u202f\u205f\u3000";
const FANCY = new RegExp(`[${SINGLE}${DOUBLE}${DASHES}${BLANKS}]`, "g");
