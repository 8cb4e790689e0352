/** Whether a line attributes something to the user: a wish, an order, a decision; and consent, also where nobody is named. */

import { anyOf, pattern } from "./comparing/any-of.ts";
import { folded } from "./comparing/folded.ts";
import { attributions, joinedAttributions } from "./lists/attribution-words.ts";
import { approved, being, consented, joinedPendings, notYet, pendings, whatFor } from "./lists/consent-words.ts";

export function attributes(text: string): boolean {
  const rest = folded(text).replace(PENDING, " ");
  return LABEL.test(rest) || ATTRIBUTING.some((each) => each.test(rest));
}

/** What of a line attributes something: of each sentence that does, all from where it begins to. */
export function attributed(text: string): readonly string[] {
  if (!attributes(text)) return [];
  const sentences = LABEL.test(folded(text)) ? [] : text.split(SENTENCE_END).filter(attributes);
  return sentences.length > 0 ? sentences.map(fromAttribution) : [text];
}

// "Switched to pnpm (the user asked for it)", "**pnpm**: the user asked for it".
function fromAttribution(sentence: string): string {
  const parts = sentence.split(OPENING);
  const at = parts.findIndex(attributes);
  return at <= 0 ? sentence : parts.slice(at).join(", ");
}

const USER =
  "(?:the |der |el |la |l'|o )?(?:users?|human|customer|nutzer|benutzer|usuari[oa]|utilisateur|пользователь|用户|客户|ユーザー?|사용자)";

// As in a play: who, a colon, and what they say.
const LABEL = pattern(`^${USER}(?:'s)?(?:\\s(?:feedback|note|requests?|instructions?|decision|says))?\\s?[:：]`);

const OPENING = /[:：](?=\s|$)|[（(]|\s[—–-]+\s|→/u;

const SENTENCE_END = new RegExp(
  [
    "[.!?…;](?=\\s|$)|[。！？；\\n]",
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
