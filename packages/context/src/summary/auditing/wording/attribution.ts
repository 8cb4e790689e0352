/** Whether a line attributes something to the user: a wish, an order, a decision; and consent, also where nobody is named. */

import { anyOf, pattern } from "./comparing/any-of.ts";
import { folded } from "./comparing/folded.ts";
import { attributions, joinedAttributions } from "./lists/attribution-words.ts";
import { approved, being, consented, joinedPendings, notYet, pendings, whatFor } from "./lists/consent-words.ts";

export function attributes(text: string): boolean {
  const rest = folded(text).replace(PENDING, " ");
  return LABEL.test(rest) || ATTRIBUTING.some((each) => each.test(rest));
}

/** What of a line attributes something, each part of it that stands for itself. */
export function attributed(text: string): readonly string[] {
  if (!attributes(text)) return [];
  const parts = LABEL.test(folded(text)) ? [] : text.split(SEGMENT_END).filter(attributes);
  return parts.length > 0 ? parts : [text];
}

const USER =
  "(?:the |der |el |la |l'|o )?(?:users?|human|customer|nutzer|benutzer|usuari[oa]|utilisateur|пользователь|用户|客户|ユーザー?|사용자)";

// As in a play: who, a colon, and what they say.
const LABEL = pattern(`^${USER}(?:'s)?(?:\\s(?:feedback|note|requests?|instructions?|decision|says))?\\s?[:：]`);

const SEGMENT_END = new RegExp(
  [
    "[.!?…;:](?=\\s|$)|[。！？；：（）()\\n]|\\s[—–-]+\\s|→",
    ",?\\s(?=(?:so|because|therefore|hence|thus|weil|deshalb|daher|sodass|porque|por eso|así que)\\s)",
    ",?\\s(?=(?:parce que|donc|потому|поэтому)\\s)",
    `,?\\s(?:and|und|y|et|e|и)\\s(?=${USER}\\s)`,
    "[，,]?(?=因此|所以|因为)|[，,](?=用户|客户|使用者)",
  ].join("|"),
  "iu",
);

const CONSENTED: readonly string[] = [
  `(?:^|[:—–-]\\s*|${anyOf(being)}\\s+)${anyOf(approved)}`,
  `${anyOf(approved)}\\s*(?:[:—–]|-\\s|${anyOf(whatFor)})`,
  `(?<!${anyOf("to as not status state")}\\s)${anyOf(approved)}\\s*$`,
  anyOf(consented),
];

const ATTRIBUTING: readonly RegExp[] = [...attributions, ...joinedAttributions, ...CONSENTED].map(pattern);

const PENDING = new RegExp(
  [
    ...pendings.map(
      ({ waiting, small, answer, more }) =>
        `${anyOf(waiting)}\\s+(?:${anyOf(small)}\\s+){0,4}${anyOf(answer)}(?:\\s+${anyOf(more)}){0,4}`,
    ),
    `${anyOf(notYet.not)}\\s+(?:been\\s+)?${anyOf(notYet.given)}`,
    ...joinedPendings,
  ].join("|"),
  "gu",
);
