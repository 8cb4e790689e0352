/** Scores the units of a text by how little they resemble the rest of it. What occurs everywhere scores 0. */

export interface UnitScore {
  /** 0 if everything in the unit occurs elsewhere; 1 is high. */
  readonly score: number;
}

/** The weight of each feature in a unit that nothing else in the text resembles. */
const FEATURE_WEIGHTS = {
  newWords: 1,
  shape: 0.14,
  template: 0.08,
  errorWord: 0.25,
  ruleWord: 0.12,
  diffLine: 0.16,
} as const;

/** Scores each unit by how much of it occurs nowhere else in the text. */
export function scoreUnits(units: readonly string[]): readonly UnitScore[] {
  const groups = groupUnits(units);
  const rarity = computeRarities([...groups.values()], units.length);
  const isDiff = units.some((unit) => unit.startsWith("@@ -"));
  const scores = new Map<string, UnitScore>();
  for (const [unit, { features }] of groups) {
    const diffScore = isDiff ? FEATURE_WEIGHTS.diffLine * diffLineWeight(unit) : 0;
    scores.set(unit, { score: hasNoFeatures(features) ? 0 : scoreFeatures(features, rarity) + diffScore });
  }
  return units.map((unit) => scores.get(unit) as UnitScore);
}

/** Units with the same text: their features are read once. */
interface UnitGroup {
  readonly features: UnitFeatures;
  count: number;
}

function groupUnits(units: readonly string[]): ReadonlyMap<string, UnitGroup> {
  const read = createUnitReader();
  const groups = new Map<string, UnitGroup>();
  for (const unit of units) {
    const group = groups.get(unit);
    if (group) group.count++;
    else groups.set(unit, { features: read(unit), count: 1 });
  }
  return groups;
}

function hasNoFeatures({ stems, shapes }: UnitFeatures): boolean {
  return stems.length + shapes.length === 0;
}

function scoreFeatures(
  { stems, shapes, template, hasErrorWord, hasRuleWord }: UnitFeatures,
  rarity: FeatureRarities,
): number {
  return (
    FEATURE_WEIGHTS.newWords * computeNovelty(stems, rarity.stem) +
    FEATURE_WEIGHTS.shape * saturate(shapes.reduce((sum, shape) => sum + rarity.shape(shape), 0)) +
    FEATURE_WEIGHTS.template * rarity.template(template) +
    (hasErrorWord ? FEATURE_WEIGHTS.errorWord * rarity.errorWord : 0) +
    (hasRuleWord ? FEATURE_WEIGHTS.ruleWord * rarity.ruleWord : 0)
  );
}

/** The rarity of each feature: 1 if it occurs once, 0 if every unit has it. */
interface FeatureRarities {
  readonly stem: (key: number) => number;
  readonly shape: (shape: number) => number;
  readonly template: (template: number) => number;
  readonly errorWord: number;
  readonly ruleWord: number;
}

function computeRarities(groups: readonly UnitGroup[], unitCount: number): FeatureRarities {
  const countValues = (select: (features: UnitFeatures) => readonly number[]): ReadonlyMap<number, number> => {
    const counts = new Map<number, number>();
    for (const { features, count } of groups)
      for (const each of select(features)) counts.set(each, (counts.get(each) ?? 0) + count);
    return counts;
  };
  const stems = countValues((features) => features.stems);
  const shapes = countValues((features) => features.shapes);
  const templates = countValues((features) => [features.template]);
  const countUnits = (has: (features: UnitFeatures) => boolean): number =>
    groups.reduce((sum, { features, count }) => sum + (has(features) ? count : 0), 0);
  const rarityOfCount = (count = 1): number => 1 - Math.log(Math.max(1, count)) / Math.log(unitCount + 1);
  return {
    // The square makes a repeated word count for much less than a new one.
    stem: (stem) => 1 / (stems.get(stem) ?? 1) ** 2,
    shape: (shape) => rarityOfCount(shapes.get(shape)),
    template: (template) => rarityOfCount(templates.get(template)),
    errorWord: rarityOfCount(countUnits(({ hasErrorWord }) => hasErrorWord)),
    ruleWord: rarityOfCount(countUnits(({ hasRuleWord }) => hasRuleWord)),
  };
}

// Uses the best span of words, not the whole unit: a long sentence may say one new thing among known ones.
function computeNovelty(stems: readonly number[], rarity: (stem: number) => number): number {
  const rarities = stems.map(rarity);
  let [current, highest] = [0, 0];
  for (let index = 0; index < rarities.length; index++) {
    current += (rarities[index] ?? 0) - (rarities[index - NOVELTY_SPAN] ?? 0);
    highest = Math.max(highest, current);
  }
  return highest / (Math.min(stems.length, NOVELTY_SPAN) + NOVELTY_PADDING);
}

/** Words in a span, and known words added to each span so that a single new word does not reach the full score. */
const NOVELTY_SPAN = 8;
const NOVELTY_PADDING = 3;

/** File and hunk headers of a diff count most, then added and removed lines; context lines count nothing. */
function diffLineWeight(line: string): number {
  if (/^(?:diff |\+\+\+ |@@ )/.test(line)) return 1;
  return /^[+-]/.test(line) ? 1 / 2 : 0;
}

const saturate = (value: number): number => value / (value + 1);

export interface UnitFeatures {
  readonly stems: readonly number[];
  /** The shapes of dates, versions, paths, identifiers, numbers and names. */
  readonly shapes: readonly number[];
  /** Equal for units that differ only in numbers, hashes and paths. */
  readonly template: number;
  readonly hasErrorWord: boolean;
  readonly hasRuleWord: boolean;
}

/** Creates a reader of unit features. It caches words, because most words repeat, and ignores the digits of numbers. */
function createUnitReader(): (unit: string) => UnitFeatures {
  const wordCache = new Map<string, WordFeatures>();
  const readWord = createWordReader(wordCache);
  return (unit) => {
    const words = unit.replace(/\d/g, "0").match(UNIT_WORD) ?? [];
    return mergeFeatures(words.map((word) => wordCache.get(word) ?? readWord(word)));
  };
}

interface WordFeatures extends UnitFeatures {
  readonly isName: boolean;
}

const UNIT_WORD = /[^\s"'`()[\]{}<>,;|!?。，、；：！？（）「」『』“”‘’«»…]+/g;

function mergeFeatures(words: readonly WordFeatures[]): UnitFeatures {
  const stems: number[] = [];
  const shapes = new Set<number>();
  let [template, hasErrorWord, hasRuleWord] = [0, false, false];
  for (const word of words) {
    for (const stem of word.stems) stems.push(stem);
    // The first word of a sentence is capitalised, so it is not taken for a name.
    if (!word.isName || word !== words[0]) for (const shape of word.shapes) shapes.add(shape);
    template = (Math.imul(template, 31) + word.template) | 0;
    hasErrorWord ||= word.hasErrorWord;
    hasRuleWord ||= word.hasRuleWord;
  }
  return { stems, shapes: [...shapes], template, hasErrorWord, hasRuleWord };
}

/** Creates a reader of word features that fills the cache. */
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
    const stems = shape === NOISE_SHAPE ? [] : wordStems(word);
    const isMasked = shape !== null && (shape === NOISE_SHAPE || /[0/\\]/.test(word));
    const features = {
      stems: stems.map((stem) => featureNumber(`word ${stem}`)),
      shapes: shape === null ? [] : [featureNumber(`shape ${shape}`)],
      template: featureNumber(isMasked ? `shape ${shape}` : word),
      hasErrorWord: stems.some((stem) => ERROR_STEMS.has(stem)),
      hasRuleWord: stems.some((stem) => RULE_STEMS.has(stem)),
      isName: shape === NAME_SHAPE,
    };
    wordCache.set(rawWord, features);
    return features;
  };
}

const NAME_SHAPE = "Aa";
/** The shape of encoded data, whose characters carry no information. */
const NOISE_SHAPE = "~";

/** Returns the shape of a date, version, path or name: `2026-01-02` and `1999-12-31` have the same. Null for a plain word. */
function wordShape(word: string): string | null {
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
/** A word of this length that often changes between letters, digits and signs is encoded data, not a name. */
const MIN_NOISE_CHARS = 40;
const MAX_NUMBER_SHAPE_DIGITS = 9;

/** Replaces each run of characters of one kind by one character. */
function collapseCharRuns(word: string): string {
  const ascii = word
    .replace(/\d+/g, "0")
    .replace(/[A-Z]+/g, "A")
    .replace(/[a-z]+/g, "a");
  return /[^ -~]/.test(ascii) ? ascii.replace(/\p{Lu}+/gu, "A").replace(/[\p{Ll}\p{Lo}\p{M}]+/gu, "a") : ascii;
}

/**
 * Returns the stems of the parts of a word: `parseHTMLPages` has the stems parse, html and pages. Digits and single letters
 * have none.
 */
function wordStems(word: string): readonly string[] {
  if (LOWERCASE_WORD.test(word)) return word.length < 2 ? [] : [word.slice(0, STEM_CHARS)];
  return (word.match(ASCII_ONLY.test(word) ? ASCII_WORD_PART : WORD_PART) ?? []).flatMap(partStems);
}

function partStems(part: string): readonly string[] {
  if (SPACELESS_PART.test(part)) return part.length < 2 ? [part] : charPairs(part);
  return part.length < 2 ? [] : [part.slice(0, STEM_CHARS).toLowerCase()];
}

/** Returns every pair of neighboring characters. */
export function charPairs(part: string): readonly string[] {
  return Array.from({ length: part.length - 1 }, (_, index) => part.slice(index, index + 2));
}

/** The first characters of a word that identify it, whatever its ending. */
const STEM_CHARS = 7;

const LOWERCASE_WORD = /^[a-z]+$/;
const ASCII_ONLY = /^[ -~]*$/;
const ASCII_WORD_PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
/** Scripts written without spaces: every pair of characters is a stem. */
const SPACELESS_SCRIPTS = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const WORD_PART = new RegExp(
  `[${SPACELESS_SCRIPTS}]+|\\p{Lu}?[\\p{Ll}\\p{M}]+|\\p{Lu}+(?!\\p{Ll})|[\\p{Lo}\\p{M}]+`,
  "gu",
);
const SPACELESS_PART = new RegExp(`^[${SPACELESS_SCRIPTS}]`, "u");

/** The stems of words for failures and warnings. */
const ERROR_STEMS: ReadonlySet<string> = collectStems(`
  error errors err fail fails failed failing failure failures warn warning warnings exception exceptions assert assertion
  panic fatal traceback refused denied timeout timeouts crash crashed crashes abort aborted corrupt corrupted conflict
  unable invalid missing
  fehler gescheitert fehlgeschlagen abgebrochen abbruch warnung absturz abgestürzt ungültig fehlt
  fallo falló fallos fallido fallida aviso advertencia inválido
  erreur échec avertissement erro falha aviso errore errori
  ошибка ошибки ошибку сбой сбоя 错误 失败 异常 警告 超时 崩溃 故障 エラー 失敗 例外 오류 실패 경고`);

/** The stems of words for rules, decisions and reasons. */
const RULE_STEMS: ReadonlySet<string> = collectStems(`
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

/**
 * Returns a line without its numbers, times, hashes, paths and quoted words, so that similar lines compare equal. Reads only
 * the first characters, so that a very long line costs no more than others.
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
