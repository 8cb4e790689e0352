/** Splits a text into clauses and classifies each as statement, prohibition, question or condition. */

import { foldAccents, isJoined, JOINED } from "../../text/sanitize.ts";
import { anyOf, pattern } from "./lexicon.ts";
import { type Tone, toneOf } from "./tone.ts";
import { keysOf, type Unit, unitsOf } from "./units.ts";

export interface Clause extends Tone {
  readonly units: readonly Unit[];
  /** Of all units, and the names of files. */
  readonly keys: ReadonlySet<string>;
  /** With those of the condition it stands under. */
  readonly about: ReadonlySet<string>;
  /** What it tells to do something to. */
  readonly others: readonly Unit[];
  readonly files: readonly string[];
  /** Whether it stands in a row that a prohibition began. */
  readonly isAfterProhibition: boolean;
}

export function clausesOf(text: string): readonly Clause[] {
  // In Portuguese `no` says where.
  const plain = isPortuguese(foldAccents(text.slice(0, LANGUAGE))) ? text.replace(/\bno\b/gi, "em") : text;
  const [first = "", ...others] = plain.split(SENTENCE_END);
  const sentences = [first, ...others].flatMap((sentence, at, all) =>
    at % 2 === 0 ? [{ text: sentence, isQuestion: isQuestion(sentence, all[at + 1]) }] : [],
  );
  return sentences.flatMap(sentenceClauses);
}

/** Letters that show the language. */
const LANGUAGE = 1000;
const isPortuguese = (text: string): boolean => PORTUGUESE.test(text) && !ELSEWHERE.test(text);
const PORTUGUESE = /\b(?:os?|uma|d[ao]s|em|aos?|nao|sao|pel[ao]|voce|isso)\b/;
const ELSEWHERE = /\b(?:the|and|to|of|is|with|el|l[ao]s|del|y|con)\b/;

/** With what ends it: a question does not order. */
const SENTENCE_END = new RegExp(`([.!?…;](?=\\s|$)|(?<=[${JOINED}])[.!?;]|[。！？；\\n])`, "u");

// "Could you delete the cache?" is a request in every language that has manners.
function isQuestion(sentence: string, end: string | undefined): boolean {
  return end === "?" && !isJoined(sentence) && !POLITE.test(foldAccents(sentence));
}

const POLITE = pattern(
  anyOf(
    `please can_you could_you would_you will_you can_we could_we can_i_get mind bitte kannst könntest könnten würdest puedes podrías
    podría puede peux peux-tu pouvez pourrais pourriez pode poderia possível можешь можете мог могли puoi potresti kun_je kan_je
    możesz por_favor plaît пожалуйста`,
  ),
);

interface Sentence {
  readonly text: string;
  readonly isQuestion: boolean;
}

function sentenceClauses({ text, isQuestion }: Sentence): readonly Clause[] {
  const parts = text.split(CLAUSE_END).map(partOf);
  let left = 0;
  return parts.flatMap((part, at) => {
    const conditions = [parts[at - 1], parts[at + 1]].filter((near) => near?.isCondition);
    const isAfterProhibition = left > 0 && !part.hasSubject;
    left = part.isProhibition && part.units.length > 0 ? ROW : isAfterProhibition ? left - 1 : 0;
    const clause: Clause = {
      ...part,
      about: new Set([part, ...conditions].flatMap((near) => [...(near?.keys ?? [])])),
      isHedged: part.isHedged || conditions.length > 0 || isQuestion,
      agrees: part.agrees && !isQuestion,
      isAfterProhibition,
    };
    return saysAnything(clause) ? [clause] : [];
  });
}

const CLAUSE_END = new RegExp(
  [
    `[,:](?=\\s|$|[${JOINED}])|(?<=[${JOINED}])[,:]|[，、：（）()]|\\s[—–-]+\\s`,
    "\\s(?:but|however|aber|sondern|jedoch|pero|sino|mais|mas|но)\\s|但是?|不过|しかし|하지만",
    "\\s(?:and|so|with|und|mit|y|con|et|avec|e|com|и|с)\\s(?=(?:no|not|never|don't|do not|without)\\s)",
    "\\s(?:und|mit|y|con|et|avec|e|com|и|с)\\s(?=(?:keine?|nicht|nie|ohne|sin|nunca|ne|sans|não|nem|sem|не|без)\\s)",
    "\\s(?=(?:instead of|rather than|statt|anstatt|en vez de|en lugar de|au lieu de|plutôt que|em vez de|вместо)\\s)",
    "(?=而不是|而非)|(?<=ではなく|ずに|ないで|なくて)|(?<=대신)",
  ].join("|"),
  "iu",
);
/** How many clauses a prohibition may reach: `do not push, merge, tag or publish`. */
const ROW = 8;

type Part = Omit<Clause, "about" | "isAfterProhibition">;

function partOf(text: string): Part {
  const tone = toneOf(text.replace(FILE, " "));
  const units = unitsOf(text);
  const files = (text.match(FILE) ?? []).map((path) => `=${foldAccents(path).replace(/^.*\//, "")}`);
  const others = tone.grave.size === 0 ? units : unitsOf(tone.rest);
  return { ...tone, units, keys: new Set([...keysOf(units), ...files]), others, files };
}

const FILE = /(?<![\w./-])[\w./-]+\.[A-Za-z]{1,5}(?![\w.])/g;

function saysAnything({ units, grave, isNegated, agrees, tellsConsent }: Clause): boolean {
  return units.length > 0 || grave.size > 0 || isNegated || agrees || tellsConsent;
}
