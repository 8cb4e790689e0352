/** Splits a text into units and scores each by how unlike the rest it is: what occurs everywhere scores nothing. */

/**
 * What a word shares with its other forms and with the names it is a part of: `parseHTMLPages` has the keys parse, html and
 * pages. Digits and single letters are none.
 */
export function wordStems(word: string): readonly string[] {
  if (LOWERCASE_WORD.test(word)) return word.length < 2 ? [] : [word.slice(0, STEM_CHARS)];
  return (word.match(ASCII_ONLY.test(word) ? ASCII_WORD_PART : WORD_PART) ?? []).flatMap(partStems);
}

function partStems(part: string): readonly string[] {
  if (SPACELESS_PART.test(part)) return part.length < 2 ? [part] : charPairs(part);
  return part.length < 2 ? [] : [part.slice(0, STEM_CHARS).toLowerCase()];
}

function charPairs(part: string): readonly string[] {
  return Array.from({ length: part.length - 1 }, (_, index) => part.slice(index, index + 2));
}

/** Letters that tell a word from others, whatever its ending. */
const STEM_CHARS = 7;

const LOWERCASE_WORD = /^[a-z]+$/;
const ASCII_ONLY = /^[ -~]*$/;
const ASCII_WORD_PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
/** Scripts that are written without spaces: every two letters are a key. */
const SPACELESS_SCRIPTS = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const WORD_PART = new RegExp(
  `[${SPACELESS_SCRIPTS}]+|\\p{Lu}?[\\p{Ll}\\p{M}]+|\\p{Lu}+(?!\\p{Ll})|[\\p{Lo}\\p{M}]+`,
  "gu",
);
const SPACELESS_PART = new RegExp(`^[${SPACELESS_SCRIPTS}]`, "u");

export const NAME_SHAPE = "Aa";
/** Encoded data, of which no letter tells anything. */
export const NOISE_SHAPE = "~";

/** `2026-01-02` and `1999-12-31` have one shape, `v1.2.3` has another. Null for a word like any other. */
export function wordShape(word: string): string | null {
  if (PLAIN_WORD.test(word)) return null;
  if (/^\d+$/.test(word)) return "0".repeat(Math.min(word.length, MAX_NUMBER_SHAPE_DIGITS));
  if (/^\w{2,9}:\/\//.test(word)) return "://";
  if (HASH_WORD.test(word)) return "#";
  const shape = collapseCharRuns(word);
  if (word.length >= MIN_NOISE_CHARS && shape.length > word.length / 4) return NOISE_SHAPE;
  return /[\\/]/.test(word) ? "/" : shape;
}

const PLAIN_WORD = /^(?:[a-z]+|[\p{Ll}\p{Lo}\p{M}]+)$/u;
const HASH_WORD = /^(?:0x)?(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{7,80}$/i;
/** Letters from which a word that changes its kind of letter all the time is no name. */
const MIN_NOISE_CHARS = 40;
const MAX_NUMBER_SHAPE_DIGITS = 9;

/** Each run of one kind of letter as one letter. */
function collapseCharRuns(word: string): string {
  const ascii = word
    .replace(/\d+/g, "0")
    .replace(/[A-Z]+/g, "A")
    .replace(/[a-z]+/g, "a");
  return /[^ -~]/.test(ascii) ? ascii.replace(/\p{Lu}+/gu, "A").replace(/[\p{Ll}\p{Lo}\p{M}]+/gu, "a") : ascii;
}

/** Failures and warnings, by the keys of their words. */
export const ERROR_STEMS: ReadonlySet<string> = collectStems(`
  error errors err fail fails failed failing failure failures warn warning warnings exception exceptions assert assertion
  panic fatal traceback refused denied timeout timeouts crash crashed crashes abort aborted corrupt corrupted conflict
  unable invalid missing
  fehler gescheitert fehlgeschlagen abgebrochen abbruch warnung absturz abgestürzt ungültig fehlt
  fallo falló fallos fallido fallida aviso advertencia inválido
  erreur échec avertissement erro falha aviso errore errori
  ошибка ошибки ошибку сбой сбоя 错误 失败 异常 警告 超时 崩溃 故障 エラー 失敗 例外 오류 실패 경고`);

/** Rules, decisions and reasons. */
export const RULE_STEMS: ReadonlySet<string> = collectStems(`
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

function collectStems(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/).flatMap(wordStems));
}

export interface UnitFeatures {
  readonly stems: readonly number[];
  /** Of dates, versions, paths, identifiers, numbers, names. */
  readonly shapes: readonly number[];
  /** The same for pieces that differ only in the numbers, hashes and paths they name. */
  readonly template: number;
  readonly hasErrorWord: boolean;
  readonly hasRuleWord: boolean;
}

/** Remembers what it has read, because most words come again. What digits a number has says nothing here. */
export function createUnitReader(): (piece: string) => UnitFeatures {
  const wordCache = new Map<string, WordFeatures>();
  const readWord = createWordReader(wordCache);
  return (piece) => {
    const words = piece.replace(/\d/g, "0").match(UNIT_WORD) ?? [];
    return mergeFeatures(words.map((word) => wordCache.get(word) ?? readWord(word)));
  };
}

interface WordFeatures extends UnitFeatures {
  readonly isName: boolean;
}

const UNIT_WORD = /[^\s"'`()[\]{}<>,;|!?。，、；：！？（）「」『』“”‘’«»…]+/g;

function mergeFeatures(words: readonly WordFeatures[]): UnitFeatures {
  const keys: number[] = [];
  const shapes = new Set<number>();
  let [template, trouble, binding] = [0, false, false];
  for (const word of words) {
    for (const key of word.stems) keys.push(key);
    // Every sentence begins with a capital.
    if (!word.isName || word !== words[0]) for (const shape of word.shapes) shapes.add(shape);
    template = (Math.imul(template, 31) + word.template) | 0;
    trouble ||= word.hasErrorWord;
    binding ||= word.hasRuleWord;
  }
  return { stems: keys, shapes: [...shapes], template, hasErrorWord: trouble, hasRuleWord: binding };
}

/** Reads a word for the first time. */
function createWordReader(wordCache: Map<string, WordFeatures>): (word: string) => WordFeatures {
  const featureNumbers = new Map<string, number>();
  const featureNumber = (feature: string): number => {
    const number = featureNumbers.get(feature) ?? featureNumbers.size;
    featureNumbers.set(feature, number);
    return number;
  };
  return (rawWord) => {
    const word = rawWord.replace(/[.:]+$/, "");
    const shape = wordShape(word);
    const keys = shape === NOISE_SHAPE ? [] : wordStems(word);
    const isMasked = shape !== null && (shape === NOISE_SHAPE || /[0/\\]/.test(word));
    const features = {
      stems: keys.map((key) => featureNumber(`word ${key}`)),
      shapes: shape === null ? [] : [featureNumber(`shape ${shape}`)],
      template: featureNumber(isMasked ? `shape ${shape}` : word),
      hasErrorWord: keys.some((key) => ERROR_STEMS.has(key)),
      hasRuleWord: keys.some((key) => RULE_STEMS.has(key)),
      isName: shape === NAME_SHAPE,
    };
    wordCache.set(rawWord, features);
    return features;
  };
}

export interface UnitScore {
  /** From 0 for a piece of which all has been said before; 1 is a lot. */
  readonly score: number;
}

/** What each thing is worth where the rest of the text has nothing like it. */
export const FEATURE_WEIGHTS = {
  newWords: 1,
  shape: 0.14,
  template: 0.08,
  trouble: 0.25,
  binding: 0.12,
  change: 0.16,
} as const;

export function scoreUnits(pieces: readonly string[]): readonly UnitScore[] {
  const groups = groupUnits(pieces);
  const rarity = computeRarities([...groups.values()], pieces.length);
  const isDiff = pieces.some((piece) => piece.startsWith("@@ -"));
  const scores = new Map<string, UnitScore>();
  for (const [piece, { features }] of groups) {
    const change = isDiff ? FEATURE_WEIGHTS.change * diffLineWeight(piece) : 0;
    scores.set(piece, { score: hasNoFeatures(features) ? 0 : scoreFeatures(features, rarity) + change });
  }
  return pieces.map((piece) => scores.get(piece) as UnitScore);
}

/** Pieces of one wording: they are read once, however often they come. */
interface UnitGroup {
  readonly features: UnitFeatures;
  count: number;
}

function groupUnits(pieces: readonly string[]): ReadonlyMap<string, UnitGroup> {
  const read = createUnitReader();
  const groups = new Map<string, UnitGroup>();
  for (const piece of pieces) {
    const group = groups.get(piece);
    if (group) group.count++;
    else groups.set(piece, { features: read(piece), count: 1 });
  }
  return groups;
}

function hasNoFeatures({ stems: keys, shapes }: UnitFeatures): boolean {
  return keys.length + shapes.length === 0;
}

function scoreFeatures(
  { stems: keys, shapes, template, hasErrorWord: trouble, hasRuleWord: binding }: UnitFeatures,
  rarity: FeatureRarities,
): number {
  return (
    FEATURE_WEIGHTS.newWords * computeNovelty(keys, rarity.stem) +
    FEATURE_WEIGHTS.shape * saturate(shapes.reduce((sum, shape) => sum + rarity.shape(shape), 0)) +
    FEATURE_WEIGHTS.template * rarity.template(template) +
    (trouble ? FEATURE_WEIGHTS.trouble * rarity.errorWord : 0) +
    (binding ? FEATURE_WEIGHTS.binding * rarity.ruleWord : 0)
  );
}

/** 1 for what is there once, 0 for what every piece has. */
interface FeatureRarities {
  readonly stem: (key: number) => number;
  readonly shape: (shape: number) => number;
  readonly template: (template: number) => number;
  readonly errorWord: number;
  readonly ruleWord: number;
}

function computeRarities(groups: readonly UnitGroup[], pieceCount: number): FeatureRarities {
  const countValues = (select: (features: UnitFeatures) => readonly number[]): ReadonlyMap<number, number> => {
    const counts = new Map<number, number>();
    for (const { features, count } of groups)
      for (const each of select(features)) counts.set(each, (counts.get(each) ?? 0) + count);
    return counts;
  };
  const keys = countValues((features) => features.stems);
  const shapes = countValues((features) => features.shapes);
  const templates = countValues((features) => [features.template]);
  const countPieces = (has: (features: UnitFeatures) => boolean): number =>
    groups.reduce((sum, { features, count }) => sum + (has(features) ? count : 0), 0);
  const rarityOfCount = (count = 1): number => 1 - Math.log(Math.max(1, count)) / Math.log(pieceCount + 1);
  return {
    // A word that comes again has mostly said what it has to say.
    stem: (key) => 1 / (keys.get(key) ?? 1) ** 2,
    shape: (shape) => rarityOfCount(shapes.get(shape)),
    template: (template) => rarityOfCount(templates.get(template)),
    errorWord: rarityOfCount(countPieces(({ hasErrorWord: trouble }) => trouble)),
    ruleWord: rarityOfCount(countPieces(({ hasRuleWord: binding }) => binding)),
  };
}

// Not of the whole piece: a long sentence may say one new thing beside much that is old.
function computeNovelty(keys: readonly number[], rarity: (key: number) => number): number {
  const rarities = keys.map(rarity);
  let [current, highest] = [0, 0];
  for (let index = 0; index < rarities.length; index++) {
    current += (rarities[index] ?? 0) - (rarities[index - NOVELTY_SPAN] ?? 0);
    highest = Math.max(highest, current);
  }
  return highest / (Math.min(keys.length, NOVELTY_SPAN) + NOVELTY_PADDING);
}

/** Words in a row that are looked at together; so many more than there are count as known, lest one word be a novelty. */
const NOVELTY_SPAN = 8;
const NOVELTY_PADDING = 3;

/** File and hunk headers say where, added and removed lines say what; the lines around them are there anyway. */
function diffLineWeight(line: string): number {
  if (/^(?:diff |\+\+\+ |@@ )/.test(line)) return 1;
  return /^[+-]/.test(line) ? 1 / 2 : 0;
}

const saturate = (value: number): number => value / (value + 1);

/** A stretch of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Letters of a unit: at most, as it should be where there is a choice, and at least. */
export const UNIT_CHARS = { most: 300, good: 120, least: 12 } as const;

/** In the order of the text, none of them blank. Time is linear, whatever the text is like. */
export function splitUnits(text: string, { from, to }: TextRange): readonly TextRange[] {
  const units: TextRange[] = [];
  let lineStart = from;
  for (let index = from; index <= to; index++) {
    if (index < to && !isLineEnd(text.charCodeAt(index))) continue;
    if (index > lineStart) for (const unit of splitLineUnits(text, { from: lineStart, to: index })) units.push(unit);
    lineStart = index + 1;
  }
  return units;
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

function splitLineUnits(text: string, line: TextRange): readonly TextRange[] {
  let parts = trimRangeEnd(text, line);
  if (line.to - line.from <= UNIT_CHARS.most && !SENTENCE_END.test(text.slice(line.from, line.to))) return parts;
  for (const rule of SPLIT_RULES)
    if (parts.some((part) => isLongForRule(part, rule))) parts = parts.flatMap((part) => splitRange(text, part, rule));
  return parts.some(({ from, to }) => to - from > UNIT_CHARS.most)
    ? parts.flatMap((part) => sliceRange(text, part))
    : parts;
}

/** Most lines have none, and need not be looked at any closer. */
const SENTENCE_END = /[.!?…。！？；｡]./;

// What stands before the first word says how deep a line stands, and belongs to it.
function trimRangeEnd(text: string, { from, to }: TextRange): readonly TextRange[] {
  let end = to;
  while (end > from && WHITESPACE_CHAR.test(text[end - 1] ?? "")) end--;
  return end > from ? [{ from, to: end }] : [];
}

const WHITESPACE_CHAR = /\s/;

/** Where a unit that is longer than `over` may end. What comes out shorter than `pack` goes with what follows. */
interface SplitRule {
  readonly end: RegExp;
  readonly minChars: number;
  readonly minPartChars: number;
}

/** The strongest first: sentences, records, members, clauses, words. */
const SPLIT_RULES: readonly SplitRule[] = [
  { end: /[.!?…]["'”’)»]?\s+(?=[^\s\p{Ll}])|[。！？；｡]["”’」』）]?/gu, minChars: 0, minPartChars: UNIT_CHARS.least },
  { end: /[}\]],?(?=\s?[{[])/g, minChars: UNIT_CHARS.most, minPartChars: UNIT_CHARS.good },
  { end: /,(?=\s?["'{[])/g, minChars: UNIT_CHARS.most, minPartChars: UNIT_CHARS.good },
  { end: /[;:|]\s|[，、：]/g, minChars: UNIT_CHARS.most, minPartChars: UNIT_CHARS.good },
  { end: /,\s/g, minChars: UNIT_CHARS.most, minPartChars: UNIT_CHARS.good },
  { end: /[\s,;&|>)](?=\S)/g, minChars: UNIT_CHARS.most, minPartChars: UNIT_CHARS.good },
];

function isLongForRule({ from, to }: TextRange, { minChars }: SplitRule): boolean {
  return to - from > minChars;
}

function splitRange(text: string, unit: TextRange, rule: SplitRule): readonly TextRange[] {
  if (!isLongForRule(unit, rule)) return [unit];
  const parts: TextRange[] = [];
  let partStart = unit.from;
  for (const { 0: end, index } of text.slice(unit.from, unit.to).matchAll(rule.end)) {
    const partEnd = unit.from + index + end.length;
    if (partEnd - partStart < rule.minPartChars) continue;
    parts.push(...trimRangeEnd(text, { from: partStart, to: partEnd }));
    partStart = partEnd;
  }
  parts.push(...trimRangeEnd(text, { from: partStart, to: unit.to }));
  return parts;
}

/** Where nothing else parts it, at every so many letters. */
function sliceRange(text: string, { from, to }: TextRange): readonly TextRange[] {
  if (to - from <= UNIT_CHARS.most) return [{ from, to }];
  const parts: TextRange[] = [];
  for (let start = from; start < to; ) {
    const end = alignToCodePoint(text, Math.min(to, start + UNIT_CHARS.good));
    parts.push({ from: start, to: end });
    start = end;
  }
  return parts;
}

/** The same place, or the next where this one is in the middle of a letter that takes two. */
export function alignToCodePoint(text: string, index: number): number {
  const isInside = isSurrogateHalf(text, index, 0xdc00) && isSurrogateHalf(text, index - 1, 0xd800);
  return isInside ? index + 1 : index;
}

function isSurrogateHalf(text: string, index: number, prefixBits: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === prefixBits;
}

/**
 * Leaves out numbers, times, hashes, paths and quoted words, so that similar lines compare equal. Looks at the first letters
 * only, so that one endless line costs no more than any other.
 */
export function lineTemplate(line: string): string {
  return line.slice(0, MAX_TEMPLATE_CHARS).replace(QUOTATION_IN_LINE, '""').replace(TEMPLATE_WORD, maskWord);
}

const MAX_TEMPLATE_CHARS = 300;
const QUOTATION_IN_LINE = /"[^"]{0,200}"|`[^`]{0,200}`|(?<!\w)'[^']{0,200}'/g;
const TEMPLATE_WORD = /[^\s"'`()[\]{}<>,;=]+/g;

function maskWord(word: string): string {
  if (/[\\/]/.test(word)) return "/";
  return HEX_WORD.test(word) ? "#" : word.replace(/\d+/g, "#");
}

const HEX_WORD = /^(?:0x[\da-f]{1,80}|(?=[a-f-]{0,80}\d)[\da-f-]{6,80})$/i;
