/** Words as people, programs and logs use them: a few very often, most hardly ever. */

import { between, type Random } from "../random.ts";

/** One word; the n-th most frequent comes about n times less often than the first. */
export function word(next: Random): string {
  return wordOfRank(Math.floor(Math.exp(next() * Math.log(VOCABULARY))) - 1);
}

export function wordOfRank(rank: number): string {
  const usual = USUAL[rank];
  if (usual !== undefined) return usual;
  let rest = rank;
  let made = "";
  do {
    made += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return made;
}

export function words(next: Random, count: number): string {
  let text = word(next);
  for (let at = 1; at < count; at++) text += (at % 11 === 0 ? "\n" : " ") + word(next);
  return text;
}

/** `requestParser`, of words that are not among the most frequent. */
export function identifier(next: Random): string {
  const second = wordOfRank(between(next, USUAL.length, 4_000));
  return `${wordOfRank(between(next, 20, 2_000))}${second[0]?.toUpperCase()}${second.slice(1)}`;
}

export function path(next: Random): string {
  const part = (): string => wordOfRank(between(next, 30, 900));
  return `src/${part()}/${part()}-${part()}.ts`;
}

/** Signs without spaces between them, again some far more often than others. */
export function signs(next: Random, count: number): string {
  let text = "";
  for (let at = 0; at < count; at++)
    text += at % 17 === 16 ? "。" : String.fromCodePoint(FIRST_SIGN + Math.floor(Math.exp(next() * Math.log(3_000))));
  return text;
}

const VOCABULARY = 60_000;
const FIRST_SIGN = 0x4e00;
const SYLLABLES =
  "ka to rel mi san do vex lin par us ber qui nor tal fen gri mos wyn dak pel hun zor cle bri oma tes vin lor ash ken".split(
    " ",
  );
const USUAL =
  "the of to and in is for a with that const import return it error file from not this test export if value function string line path be on as src name when was type let new node true null expected received at module data request response user session config build run failed passed found read write open close index table list item key token cache worker queue event parser stream buffer server client timeout retry connection database query result merge branch commit change update remove create start stop check".split(
    " ",
  );
