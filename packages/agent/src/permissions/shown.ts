/** Foreign text as a person may see it: on one line, of bounded length, with every sign that would not be seen, or would act, written out. */

export function shown(text: string): string {
  return shortened(text).replace(UNSEEN, written);
}

const MOST = 1_000;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;
const known: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function written(sign: string): string {
  return known[sign] ?? `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}

// The end stays: a long beginning must not hide what comes last.
function shortened(text: string): string {
  if (text.length <= MOST) return text;
  const half = MOST / 2;
  return `${text.slice(0, half)} … ${text.length - MOST} more characters … ${text.slice(-half)}`;
}
