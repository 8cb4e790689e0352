/** Detects whether a line attributes a wish, an order, a decision or consent to the user. */

import { foldAccents, withoutDisguise } from "../../text/sanitize.ts";
import {
  approved,
  attributions,
  being,
  consented,
  joinedAttributions,
  joinedPendings,
  notYet,
  pendings,
  whatFor,
} from "./attribution-words.ts";
import { anyOf, pattern } from "./lexicon.ts";
import { namesPerson } from "./speaker.ts";

export function attributes(text: string): boolean {
  const plain = withoutDisguise(foldAccents(text)).replace(MARKS, "");
  if (UNASKED.test(plain)) return true;
  const rest = plain.replace(PENDING, " ").replace(BY_PROGRAM, " ");
  return LABEL.test(rest) || ATTRIBUTING.some((each) => each.test(rest)) || namesPerson(rest);
}

/** What of a line attributes something: of each sentence that does, all from where it begins to. */
export function attributed(text: string): readonly string[] {
  if (!attributes(text)) return [];
  const sentences = LABEL.test(foldAccents(text)) ? [] : text.split(SENTENCE_END).filter(attributes);
  return sentences.length > 0 ? sentences.map(fromAttribution) : [text];
}

// "Switched to pnpm (the user asked for it)", "**pnpm**: the user asked for it".
function fromAttribution(sentence: string): string {
  const parts = sentence.split(OPENING);
  const at = parts.findIndex(attributes);
  return at <= 0 ? sentence : parts.slice(at).join(", ");
}

/** Of a quotation, a table, a bracket: what follows begins the line all the same. */
const MARKS = /^[\s>|"'([{*_~-]+/u;

const UNASKED = pattern(
  [
    "(?:not|n't|no longer|never) (?:need|require)s? (?:any |further |a |to be )?(?:confirm|approv|permission|consent|ask)",
    "(?:do not|don't|no need to|need not|never|without having to) (?:ask|confirm) (?:before|for|again|first|about)",
    "^(?:request|standing order|order|instruction|instructions|directive|permission|approval|wish|mandate)s?\\s?[:：](?!\\s*(?:get|post|put|patch|delete|head|http|\\/|\\{|$))",
    "\\brequest (?:was|is) (?:to|that)\\b",
    "\\banswer(?:ed)?\\s?[:：]?\\s?(?:yes|ok|sure|ja|si|oui|да)\\b",
    "\\bmay (?:now )?be (?:dropped|deleted|removed|skipped|ignored|overwritten|merged|pushed|deployed|published|sent|killed|reset|disabled|bypassed)",
    "\\b\\w{1,30}ing [^.;]{1,60} (?:is|are) (?:allowed|permitted|ok|okay|fine)(?=\\s*(?:$|[.,;)]))",
    "\\b(?:chef|chefin|kollege|kollegin) hat\\b.{0,30}\\b(?:erlaubt|genehmigt|gesagt|zugestimmt|freigegeben)",
  ].join("|"),
);

/** Programs approve and allow, too. */
const BY_PROGRAM = new RegExp(
  [
    "\\bthe user requests an? (?:token|page|resource|url|file|code)\\b",
    "(?:approved|authori[sz]ed|confirmed) by (?:the |a )?(?:[\\w-]+ ){0,2}(?:bot|ci|pipeline|linter|action|checks?|hook|dependabot|renovate|compiler|server|tests?)\\b",
    "\\b(?:server|client|process|thread|browser|worker|proxy|compiler|parser|request|connection|function|module|container|cache|job|query|api|app|driver|kernel|runtime|scheduler|token|header|header|script)s? (?:is|are|was|were) (?:not )?(?:allowed|permitted|authori[sz]ed) to\\b",
  ].join("|"),
  "gu",
);

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
