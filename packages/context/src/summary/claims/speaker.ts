/** Detects whether a text speaks of the user as a person. */

import { anybody, joinedPersonNouns, personNouns, things } from "./attribution-words.ts";
import { anyOf } from "./lexicon.ts";

/** The text must be folded. */
export function namesPerson(text: string): boolean {
  const rest = text.replace(ADDRESSED, " ").replace(OF_PROGRAM, " ");
  return PERSON.test(rest);
}

const NOUN = anyOf(personNouns);

/** Names in code, and the users of a program. */
const OF_PROGRAM = new RegExp(
  [
    `(?:filter|group|sort|order|index|search|key|count)(?:ed|s|ing)? by ${NOUN}`,
    `(?:${anyOf(anybody)}\\s+|(?<=[/.$@#="-]))${NOUN}`,
    `${NOUN}(?:'s)?(?:[-./(@=:][\\p{L}\\d_]|\\s+${anyOf(things)}|")`,
    `\\bthe ${NOUN} requests an? (?:token|page|resource|url|file|code)`,
  ].join("|"),
  "gu",
);

/** What is said to the user, or asked, the user has not said. */
const ADDRESSED = new RegExp(
  [
    `\\b(?:ask|asks|asked|asking|tell|told|telling|show|showed|shown|showing|inform|informed|remind|warn|warned|notify|notified|give|gave|offer|offered|help|explained to|explain to|reported to|report to|presented to|present to|proposed to|propose to|suggested to|recommended to|recommend to|sent to|answered|for|with|to)\\s+(?:the\\s+)?${NOUN}(?!'s)`,
    `\\b(?:question|questions|options|decision|answer|reply|feedback|input|confirmation|report|instructions)\\s+(?:for|to)\\s+(?:the\\s+)?${NOUN}`,
    `(?:dem|den|an den|für den|al|a la|para el|para la|à|ao|para o|对|向|给|問|询问|请)\\s?(?:${NOUN}|用户|用戶)`,
  ].join("|"),
  "gu",
);

const PERSON = new RegExp([NOUN, ...joinedPersonNouns].join("|"), "u");
