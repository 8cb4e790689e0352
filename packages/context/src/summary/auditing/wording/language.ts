/** In which language a text is written: by its letters, and where those are Latin, by the commonest words. */

import { folded } from "./comparing/folded.ts";

export interface Language {
  readonly script: string;
  /** Null where it cannot be told. */
  readonly tongue: string | null;
}

/** Null for a text with too few letters. */
export function languageOf(text: string): Language | null {
  const prose = folded(text).replace(/\S+/gu, (word) => (CODE.test(word) ? " " : word));
  const script = scriptOf(prose);
  if (script === null) return null;
  return { script, tongue: script === "Latin" ? tongueOf(prose) : script };
}

/** Names, paths and addresses are written alike everywhere. */
const CODE = /[`\d_/\\@#$=]/;

function scriptOf(text: string): string | null {
  const counts = SCRIPTS.map(({ name, letters, weight }) => ({
    name,
    count: (text.match(letters)?.length ?? 0) * weight,
  }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all < FEWEST) return null;
  const [latin, ...others] = counts;
  const most = others.reduce((one, other) => (other.count > one.count ? other : one));
  if (most.count < all * SHARE) return latin?.name ?? null;
  const kana = counts.find(({ name }) => name === "Kana")?.count ?? 0;
  return most.name === "Han" && kana > most.count * KANA ? "Kana" : most.name;
}

const FEWEST = 6;
/** Words of technology are Latin everywhere. */
const SHARE = 0.25;
/** Of a Japanese text at least so much for each Han letter. */
const KANA = 0.15;

const SCRIPTS = [
  { name: "Latin", letters: /\p{sc=Latin}/gu, weight: 1 },
  { name: "Han", letters: /\p{sc=Han}/gu, weight: 3 },
  { name: "Kana", letters: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu, weight: 3 },
  { name: "Hangul", letters: /\p{sc=Hangul}/gu, weight: 3 },
  { name: "Cyrillic", letters: /\p{sc=Cyrillic}/gu, weight: 1 },
  { name: "Greek", letters: /\p{sc=Greek}/gu, weight: 1 },
  { name: "Arabic", letters: /\p{sc=Arabic}/gu, weight: 1 },
  { name: "Hebrew", letters: /\p{sc=Hebrew}/gu, weight: 1 },
  { name: "Devanagari", letters: /\p{sc=Devanagari}/gu, weight: 1 },
  { name: "Thai", letters: /\p{sc=Thai}/gu, weight: 1 },
] as const;

function tongueOf(text: string): string | null {
  const words = text.match(/\p{sc=Latin}+/gu) ?? [];
  const [best, second] = Object.entries(COMMON)
    .map(([name, common]) => ({ name, count: words.filter((word) => common.has(word)).length }))
    .sort((one, other) => other.count - one.count);
  return best && second && best.count >= ENOUGH && best.count >= second.count * 2 ? best.name : null;
}

const ENOUGH = 3;

const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  English: listed(
    "the and to of is that for with this it you not are be have from on was what but please when should does in by",
  ),
  German: listed(
    "der die das und ist nicht ich ein eine mit für auf den dem zu wir bitte auch wenn noch kann soll wird sind im von werden",
  ),
  Spanish: listed(
    "el los las que una por con para está como pero más este esta del hay cuando también sin porque se al y",
  ),
  French: listed("le les des est une dans pour qui pas avec sur ce cette vous je il mais être sont du au et ne"),
  Portuguese: listed("não uma os dos das com para é em você está mais isso quando também ao pelo são do da no na o"),
  Italian: listed("il gli che di una per non con sono questo della più nel anche come è la un"),
  Dutch: listed("het een van en dat niet voor met op zijn deze ook wordt de je naar"),
  Polish: listed("nie jest się na do że w z jak dla i ale tylko"),
  Turkish: listed("bir ve bu için ile değil de da çok ama"),
};

function listed(words: string): ReadonlySet<string> {
  return new Set(folded(words).split(" "));
}
