/** Splits a text into units and scores each by how unlike the rest it is: what occurs everywhere scores nothing. */

/**
 * What a word shares with its other forms and with the names it is a part of: `parseHTMLPages` has the keys parse, html and
 * pages. Digits and single letters are none.
 */
export function keysOf(word: string): readonly string[] {
  if (SMALL.test(word)) return word.length < 2 ? [] : [word.slice(0, STEM)];
  return (word.match(ASCII.test(word) ? ASCII_PART : PART) ?? []).flatMap(partKeys);
}

function partKeys(part: string): readonly string[] {
  if (IS_UNSPACED.test(part)) return part.length < 2 ? [part] : pairs(part);
  return part.length < 2 ? [] : [part.slice(0, STEM).toLowerCase()];
}

function pairs(part: string): readonly string[] {
  return Array.from({ length: part.length - 1 }, (_, at) => part.slice(at, at + 2));
}

/** Letters that tell a word from others, whatever its ending. */
const STEM = 7;

const SMALL = /^[a-z]+$/;
const ASCII = /^[ -~]*$/;
const ASCII_PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
/** Scripts that are written without spaces: every two letters are a key. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const PART = new RegExp(`[${UNSPACED}]+|\\p{Lu}?[\\p{Ll}\\p{M}]+|\\p{Lu}+(?!\\p{Ll})|[\\p{Lo}\\p{M}]+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

export const NAME = "Aa";
/** Encoded data, of which no letter tells anything. */
export const NOISE = "~";

/** `2026-01-02` and `1999-12-31` have one shape, `v1.2.3` has another. Null for a word like any other. */
export function shapeOf(word: string): string | null {
  if (PLAIN.test(word)) return null;
  if (/^\d+$/.test(word)) return "0".repeat(Math.min(word.length, LONGEST_NUMBER));
  if (/^\w{2,9}:\/\//.test(word)) return "://";
  if (HASH.test(word)) return "#";
  const shape = drawn(word);
  if (word.length >= NOISY && shape.length > word.length / 4) return NOISE;
  return /[\\/]/.test(word) ? "/" : shape;
}

const PLAIN = /^(?:[a-z]+|[\p{Ll}\p{Lo}\p{M}]+)$/u;
const HASH = /^(?:0x)?(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{7,80}$/i;
/** Letters from which a word that changes its kind of letter all the time is no name. */
const NOISY = 40;
const LONGEST_NUMBER = 9;

/** Each run of one kind of letter as one letter. */
function drawn(word: string): string {
  const ascii = word
    .replace(/\d+/g, "0")
    .replace(/[A-Z]+/g, "A")
    .replace(/[a-z]+/g, "a");
  return /[^ -~]/.test(ascii) ? ascii.replace(/\p{Lu}+/gu, "A").replace(/[\p{Ll}\p{Lo}\p{M}]+/gu, "a") : ascii;
}

/** Failures and warnings, by the keys of their words. */
export const TROUBLE: ReadonlySet<string> = keysIn(`
  error errors err fail fails failed failing failure failures warn warning warnings exception exceptions assert assertion
  panic fatal traceback refused denied timeout timeouts crash crashed crashes abort aborted corrupt corrupted conflict
  unable invalid missing
  fehler gescheitert fehlgeschlagen abgebrochen abbruch warnung absturz abgestürzt ungültig fehlt
  fallo falló fallos fallido fallida aviso advertencia inválido
  erreur échec avertissement erro falha aviso errore errori
  ошибка ошибки ошибку сбой сбоя 错误 失败 异常 警告 超时 崩溃 故障 エラー 失敗 例外 오류 실패 경고`);

/** Rules, decisions and reasons. */
export const BINDING: ReadonlySet<string> = keysIn(`
  must never always only shall should cannot require required requires forbidden allowed mandatory deadline owner owners
  until unless decide decided decision agree agreed choose chose chosen prefer prefers preferred because reason instead
  note important remember beware approved rejected todo fixme hack deprecated
  muss müssen darf dürfen nie niemals immer nur soll sollen sollte entschieden entscheidung beschlossen vereinbart weil grund
  stattdessen hinweis wichtig achtung verboten erlaubt genehmigt abgelehnt zuständig frist
  debe deben nunca siempre solo sólo decidió decidimos decisión acordó acordamos porque motivo nota importante ojo recuerda
  prohibido prohibida permitido permitida aprobado rechazado responsable plazo
  doit doivent jamais toujours seulement décidé décision convenu parce raison attention interdit obligatoire
  deve devem sempre somente decidimos decidiu proibido soltanto deciso vietato
  нельзя должен должна должны никогда всегда решили решение потому важно только
  必须 不要 不得 不能 禁止 决定 因为 原因 注意 重要 务必 始终 从不 绝不 改为 约定 只能 仅限 记住 同意 批准 截止 负责
  必ず 決定 べき のみ 반드시 금지 결정 때문 주의 중요 항상`);

function keysIn(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/).flatMap(keysOf));
}

export interface Words {
  readonly keys: readonly number[];
  /** Of dates, versions, paths, identifiers, numbers, names. */
  readonly shapes: readonly number[];
  /** The same for pieces that differ only in the numbers, hashes and paths they name. */
  readonly template: number;
  readonly trouble: boolean;
  readonly binding: boolean;
}

/** Remembers what it has read, because most words come again. What digits a number has says nothing here. */
export function wordReader(): (piece: string) => Words {
  const known = new Map<string, Word>();
  const read = wordIn(known);
  return (piece) => {
    const words = piece.replace(/\d/g, "0").match(WORD) ?? [];
    return joined(words.map((word) => known.get(word) ?? read(word)));
  };
}

interface Word extends Words {
  readonly isName: boolean;
}

const WORD = /[^\s"'`()[\]{}<>,;|!?。，、；：！？（）「」『』“”‘’«»…]+/g;

function joined(words: readonly Word[]): Words {
  const keys: number[] = [];
  const shapes = new Set<number>();
  let [template, trouble, binding] = [0, false, false];
  for (const word of words) {
    for (const key of word.keys) keys.push(key);
    // Every sentence begins with a capital.
    if (!word.isName || word !== words[0]) for (const shape of word.shapes) shapes.add(shape);
    template = (Math.imul(template, 31) + word.template) | 0;
    trouble ||= word.trouble;
    binding ||= word.binding;
  }
  return { keys, shapes: [...shapes], template, trouble, binding };
}

/** Reads a word for the first time. */
function wordIn(known: Map<string, Word>): (word: string) => Word {
  const numbers = new Map<string, number>();
  const numberOf = (feature: string): number => {
    const number = numbers.get(feature) ?? numbers.size;
    numbers.set(feature, number);
    return number;
  };
  return (said) => {
    const word = said.replace(/[.:]+$/, "");
    const shape = shapeOf(word);
    const keys = shape === NOISE ? [] : keysOf(word);
    const isMasked = shape !== null && (shape === NOISE || /[0/\\]/.test(word));
    const read = {
      keys: keys.map((key) => numberOf(`word ${key}`)),
      shapes: shape === null ? [] : [numberOf(`shape ${shape}`)],
      template: numberOf(isMasked ? `shape ${shape}` : word),
      trouble: keys.some((key) => TROUBLE.has(key)),
      binding: keys.some((key) => BINDING.has(key)),
      isName: shape === NAME,
    };
    known.set(said, read);
    return read;
  };
}

export interface Ranked {
  /** From 0 for a piece of which all has been said before; 1 is a lot. */
  readonly tells: number;
}

/** What each thing is worth where the rest of the text has nothing like it. */
export const WORTH = { newWords: 1, shape: 0.14, template: 0.08, trouble: 0.25, binding: 0.12, change: 0.16 } as const;

export function ranked(pieces: readonly string[]): readonly Ranked[] {
  const kinds = kindsOf(pieces);
  const rarity = raritiesIn([...kinds.values()], pieces.length);
  const isDiff = pieces.some((piece) => piece.startsWith("@@ -"));
  const known = new Map<string, Ranked>();
  for (const [piece, { words }] of kinds) {
    const change = isDiff ? WORTH.change * changeIn(piece) : 0;
    known.set(piece, { tells: isEmpty(words) ? 0 : worthOf(words, rarity) + change });
  }
  return pieces.map((piece) => known.get(piece) as Ranked);
}

/** Pieces of one wording: they are read once, however often they come. */
interface Kind {
  readonly words: Words;
  count: number;
}

function kindsOf(pieces: readonly string[]): ReadonlyMap<string, Kind> {
  const read = wordReader();
  const kinds = new Map<string, Kind>();
  for (const piece of pieces) {
    const kind = kinds.get(piece);
    if (kind) kind.count++;
    else kinds.set(piece, { words: read(piece), count: 1 });
  }
  return kinds;
}

function isEmpty({ keys, shapes }: Words): boolean {
  return keys.length + shapes.length === 0;
}

function worthOf({ keys, shapes, template, trouble, binding }: Words, rarity: Rarities): number {
  return (
    WORTH.newWords * newness(keys, rarity.key) +
    WORTH.shape * saturated(shapes.reduce((sum, shape) => sum + rarity.shape(shape), 0)) +
    WORTH.template * rarity.template(template) +
    (trouble ? WORTH.trouble * rarity.trouble : 0) +
    (binding ? WORTH.binding * rarity.binding : 0)
  );
}

/** 1 for what is there once, 0 for what every piece has. */
interface Rarities {
  readonly key: (key: number) => number;
  readonly shape: (shape: number) => number;
  readonly template: (template: number) => number;
  readonly trouble: number;
  readonly binding: number;
}

function raritiesIn(kinds: readonly Kind[], pieces: number): Rarities {
  const counted = (of: (words: Words) => readonly number[]): ReadonlyMap<number, number> => {
    const counts = new Map<number, number>();
    for (const { words, count } of kinds)
      for (const each of of(words)) counts.set(each, (counts.get(each) ?? 0) + count);
    return counts;
  };
  const keys = counted((words) => words.keys);
  const shapes = counted((words) => words.shapes);
  const templates = counted((words) => [words.template]);
  const those = (has: (words: Words) => boolean): number =>
    kinds.reduce((sum, { words, count }) => sum + (has(words) ? count : 0), 0);
  const among = (count = 1): number => 1 - Math.log(Math.max(1, count)) / Math.log(pieces + 1);
  return {
    // A word that comes again has mostly said what it has to say.
    key: (key) => 1 / (keys.get(key) ?? 1) ** 2,
    shape: (shape) => among(shapes.get(shape)),
    template: (template) => among(templates.get(template)),
    trouble: among(those(({ trouble }) => trouble)),
    binding: among(those(({ binding }) => binding)),
  };
}

// Not of the whole piece: a long sentence may say one new thing beside much that is old.
function newness(keys: readonly number[], rarity: (key: number) => number): number {
  const rarities = keys.map(rarity);
  let [now, most] = [0, 0];
  for (let at = 0; at < rarities.length; at++) {
    now += (rarities[at] ?? 0) - (rarities[at - SPAN] ?? 0);
    most = Math.max(most, now);
  }
  return most / (Math.min(keys.length, SPAN) + FEW);
}

/** Words in a row that are looked at together; so many more than there are count as known, lest one word be a novelty. */
const SPAN = 8;
const FEW = 3;

/** File and hunk headers say where, added and removed lines say what; the lines around them are there anyway. */
function changeIn(line: string): number {
  if (/^(?:diff |\+\+\+ |@@ )/.test(line)) return 1;
  return /^[+-]/.test(line) ? 1 / 2 : 0;
}

const saturated = (much: number): number => much / (much + 1);

/** A stretch of a text. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/** Letters of a unit: at most, as it should be where there is a choice, and at least. */
export const UNIT = { most: 300, good: 120, least: 12 } as const;

/** In the order of the text, none of them blank. Time is linear, whatever the text is like. */
export function unitsOf(text: string, { from, to }: Unit): readonly Unit[] {
  const units: Unit[] = [];
  let begin = from;
  for (let at = from; at <= to; at++) {
    if (at < to && !isLineEnd(text.charCodeAt(at))) continue;
    if (at > begin) for (const unit of partsOfLine(text, { from: begin, to: at })) units.push(unit);
    begin = at + 1;
  }
  return units;
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

function partsOfLine(text: string, line: Unit): readonly Unit[] {
  let parts = withoutEndBlanks(text, line);
  if (line.to - line.from <= UNIT.most && !SENTENCE_END.test(text.slice(line.from, line.to))) return parts;
  for (const seam of SEAMS)
    if (parts.some((part) => isLong(part, seam))) parts = parts.flatMap((part) => apart(text, part, seam));
  return parts.some(({ from, to }) => to - from > UNIT.most) ? parts.flatMap((part) => slices(text, part)) : parts;
}

/** Most lines have none, and need not be looked at any closer. */
const SENTENCE_END = /[.!?…。！？；｡]./;

// What stands before the first word says how deep a line stands, and belongs to it.
function withoutEndBlanks(text: string, { from, to }: Unit): readonly Unit[] {
  let end = to;
  while (end > from && BLANK.test(text[end - 1] ?? "")) end--;
  return end > from ? [{ from, to: end }] : [];
}

const BLANK = /\s/;

/** Where a unit that is longer than `over` may end. What comes out shorter than `pack` goes with what follows. */
interface Seam {
  readonly end: RegExp;
  readonly over: number;
  readonly pack: number;
}

/** The strongest first: sentences, records, members, clauses, words. */
const SEAMS: readonly Seam[] = [
  { end: /[.!?…]["'”’)»]?\s+(?=[^\s\p{Ll}])|[。！？；｡]["”’」』）]?/gu, over: 0, pack: UNIT.least },
  { end: /[}\]],?(?=\s?[{[])/g, over: UNIT.most, pack: UNIT.good },
  { end: /,(?=\s?["'{[])/g, over: UNIT.most, pack: UNIT.good },
  { end: /[;:|]\s|[，、：]/g, over: UNIT.most, pack: UNIT.good },
  { end: /,\s/g, over: UNIT.most, pack: UNIT.good },
  { end: /[\s,;&|>)](?=\S)/g, over: UNIT.most, pack: UNIT.good },
];

function isLong({ from, to }: Unit, { over }: Seam): boolean {
  return to - from > over;
}

function apart(text: string, unit: Unit, seam: Seam): readonly Unit[] {
  if (!isLong(unit, seam)) return [unit];
  const parts: Unit[] = [];
  let begin = unit.from;
  for (const { 0: end, index } of text.slice(unit.from, unit.to).matchAll(seam.end)) {
    const at = unit.from + index + end.length;
    if (at - begin < seam.pack) continue;
    parts.push(...withoutEndBlanks(text, { from: begin, to: at }));
    begin = at;
  }
  parts.push(...withoutEndBlanks(text, { from: begin, to: unit.to }));
  return parts;
}

/** Where nothing else parts it, at every so many letters. */
function slices(text: string, { from, to }: Unit): readonly Unit[] {
  if (to - from <= UNIT.most) return [{ from, to }];
  const parts: Unit[] = [];
  for (let at = from; at < to; ) {
    const end = wholeLetters(text, Math.min(to, at + UNIT.good));
    parts.push({ from: at, to: end });
    at = end;
  }
  return parts;
}

/** The same place, or the next where this one is in the middle of a letter that takes two. */
export function wholeLetters(text: string, at: number): number {
  const isInside = isHalf(text, at, 0xdc00) && isHalf(text, at - 1, 0xd800);
  return isInside ? at + 1 : at;
}

function isHalf(text: string, at: number, which: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === which;
}

/**
 * Leaves out numbers, times, hashes, paths and quoted words, so that similar lines compare equal. Looks at the first letters
 * only, so that one endless line costs no more than any other.
 */
export function lineTemplate(line: string): string {
  return line.slice(0, LETTERS).replace(QUOTED, '""').replace(TEMPLATE_WORD, maskedWord);
}

const LETTERS = 300;
const QUOTED = /"[^"]{0,200}"|`[^`]{0,200}`|(?<!\w)'[^']{0,200}'/g;
const TEMPLATE_WORD = /[^\s"'`()[\]{}<>,;=]+/g;

function maskedWord(word: string): string {
  if (/[\\/]/.test(word)) return "/";
  return HEX.test(word) ? "#" : word.replace(/\d+/g, "#");
}

const HEX = /^(?:0x[\da-f]{1,80}|(?=[a-f-]{0,80}\d)[\da-f-]{6,80})$/i;
