/** Measures a compaction: which rules the next request still has, which messages are missing without notice, and which budgets are exceeded. */

import { type Budget, type CompactionEntry, readReceipt, textTokens } from "@pith/context";
import { compactionLevels, MARK_CODES, readSummaryPartTexts } from "@pith/context/host";
import { type CompactedRequest, findNumbers } from "./compacted-request.ts";
import { collapseSpaces, isInForce, listStatedRules, type Rule, type Statement, type UserMessage } from "./rule.ts";

export interface MeasureInput {
  readonly rules: readonly Rule[];
  /** The user's messages before the compaction. */
  readonly messages: readonly UserMessage[];
  readonly request: CompactedRequest;
  /** The numbers of the messages that the receipts so far mention. */
  readonly noticed: ReadonlySet<number>;
}

export interface CompactionMeasures {
  /** The number of rules that hold. */
  readonly holding: number;
  /** Rules that hold, and that the request does not show. */
  readonly unreachable: readonly string[];
  /** Unreachable rules in messages about which the request does not say that text is missing. */
  readonly lost: readonly string[];
  /** Rules that no longer hold and are shown without the newer rule. */
  readonly supersededAsValid: readonly string[];
  /** Messages that are not whole, and the model or the user is not told. */
  readonly silentEvictions: readonly string[];
}

export function measureCompaction(input: MeasureInput): CompactionMeasures {
  const { messages } = input;
  const reader = new RequestReader(input);
  const stated = listStatedRules(input.rules, messages.length);
  const holding = stated.filter((rule) => isInForce(rule, messages.length));
  const unreachable = holding.filter((rule) => !rule.statements.every((each) => reader.shows(rule, each)));
  const replaced = stated.filter((rule) => !isInForce(rule, messages.length));
  const describe = ({ message, text }: Rule): string => `#${messages[message]?.number} ${text}`;
  return {
    holding: holding.length,
    unreachable: unreachable.map(describe),
    lost: unreachable.filter((rule) => !reader.isKnownToBeMissing(rule.message)).map(describe),
    supersededAsValid: replaced.filter((rule) => reader.showsAsValid(rule)).map(describe),
    silentEvictions: reader.findSilentEvictions().map(({ number, text }) => `#${number} ${text.slice(0, 60)}`),
  };
}

/** Looks up messages, by their index, in the request. */
class RequestReader {
  readonly #input: MeasureInput;
  /** The shown texts by message index. */
  readonly #texts: readonly string[];
  /** The messages that the range of omitted messages counts. */
  readonly #counted: ReadonlySet<number>;
  /** The messages whose missing text is carried over, according to the request. */
  readonly #carried: ReadonlySet<number>;

  constructor(input: MeasureInput) {
    const { messages, request } = input;
    this.#input = input;
    this.#texts = messages.map(({ number }) => collapseSpaces(request.shownTexts.get(number) ?? ""));
    this.#counted = new Set(this.#findCounted());
    this.#carried = new Set(this.#findCarried());
  }

  /** Whether the user's message shows the words, or an unmarked line that cites the message says the same. */
  shows({ message }: Rule, { quote, isStatedIn }: Statement): boolean {
    if (this.#textOf(message).includes(collapseSpaces(quote))) return true;
    return this.#linesAbout(message).some(({ text }) => isStatedIn(text));
  }

  /** Whether the request says that text of a message is missing, other than that lines carry it over. */
  isKnownToBeMissing(message: number): boolean {
    return this.#isStub(message) || this.#isShortened(message) || this.#counted.has(message);
  }

  /**
   * Whether any statement of a replaced rule is shown, and nothing of the rule that replaced it. In a chain of replacements, any later
   * one is enough.
   */
  showsAsValid(rule: Rule): boolean {
    if (!rule.statements.some((statement) => this.shows(rule, statement))) return false;
    return !this.#findReplacements(rule).some((message) => this.#mentions(message));
  }

  findSilentEvictions(): readonly UserMessage[] {
    return this.#input.messages.filter(
      ({ number }, index) => !this.#isWhole(index) && !(this.#isModelTold(index) && this.#input.noticed.has(number)),
    );
  }

  /** The messages of a chain of replacements. */
  #findReplacements({ replacedBy }: Rule): readonly number[] {
    const { rules, messages } = this.#input;
    if (replacedBy === null || replacedBy >= messages.length) return [];
    const next = rules.filter(({ message }) => message === replacedBy);
    return [replacedBy, ...next.flatMap((rule) => this.#findReplacements(rule))];
  }

  /** Whether the request shows a message, its beginning, or a line about it. A message with gaps needs a line or a statement. */
  #mentions(message: number): boolean {
    if (this.#isWhole(message) || this.#isStub(message) || this.#isShortened(message)) return true;
    if (this.#linesAbout(message).length > 0) return true;
    return this.#input.rules.some(
      (rule) => rule.message === message && rule.statements.some((statement) => this.shows(rule, statement)),
    );
  }

  #isModelTold(message: number): boolean {
    if (this.isKnownToBeMissing(message) || this.#carried.has(message)) return true;
    return this.#textOf(message).includes(GAP_MARK);
  }

  /**
   * Finds the messages that the range counts: those in it that are neither shown nor named. If there are more than it counts, those that
   * no line cites come first.
   */
  #findCounted(): readonly number[] {
    const { range, carried } = this.#input.request.omitted;
    if (range === null) return [];
    const hidden = this.#messageIndexes().filter((message) => {
      const number = this.#numberOf(message);
      if (number < range.first || number > range.last) return false;
      return this.#textOf(message) === "" && !this.#isStub(message) && !carried.has(number);
    });
    const countLines = (message: number): number => Math.min(1, this.#linesAbout(message).length);
    return hidden.toSorted((one, other) => countLines(one) - countLines(other)).slice(0, range.count);
  }

  /** Finds the messages that the request names as carried over, and older ones that it only counts and that lines cite. */
  #findCarried(): readonly number[] {
    const { carried, olderCarried } = this.#input.request.omitted;
    const named = this.#messageIndexes().filter((message) => carried.has(this.#numberOf(message)));
    const older = this.#messageIndexes().filter((message) => {
      if (message >= (named[0] ?? 0) || this.#isWhole(message)) return false;
      return this.#linesAbout(message).length > 0 && !this.isKnownToBeMissing(message);
    });
    return [...named, ...older.slice(0, olderCarried)];
  }

  #isWhole(message: number): boolean {
    return this.#textOf(message).includes(collapseSpaces(this.#input.messages[message]?.text ?? ""));
  }

  #isStub(message: number): boolean {
    return this.#input.request.omitted.stubs.has(this.#numberOf(message));
  }

  #isShortened(message: number): boolean {
    return this.#textOf(message).includes(`#${this.#numberOf(message)} opens all of it`);
  }

  #linesAbout(message: number): CompactedRequest["lines"] {
    const number = this.#numberOf(message);
    return this.#input.request.lines.filter((line) => !line.isMarked && line.numbers.includes(number));
  }

  #messageIndexes(): readonly number[] {
    return [...this.#input.messages.keys()];
  }

  #textOf(message: number): string {
    return this.#texts[message] ?? "";
  }

  #numberOf(message: number): number {
    return this.#input.messages[message]?.number ?? -1;
  }
}

/** Stands for sentences that lines of the summary carry over. */
const GAP_MARK = "[…]";

/** Finds the numbers of the messages that a receipt reports as missing or shortened. */
export function findNoticedNumbers(compaction: CompactionEntry): readonly number[] {
  const findings = readReceipt(compaction)?.findings ?? [];
  return findings
    .filter(({ code }) => !MARK_CODES.has(code) && code !== "wrong-request")
    .flatMap(({ note }) => findNumbers(note));
}

/** Finds the parts of a summary message that exceed their budget, at the compaction level of the compaction. */
export function findOverruns(compaction: CompactionEntry, budget: Budget): readonly string[] {
  const { rung = "whole" } = readReceipt(compaction) ?? {};
  const { summaryShare } = compactionLevels.find(({ name }) => name === rung) ?? compactionLevels[0];
  const share = summaryShare / readCalibrationFactor(compaction, budget);
  return [
    { kinds: ["words", "omitted"], tokens: budget.userMessages },
    { kinds: ["story", "notes"], tokens: budget.checkpoint },
  ].flatMap(({ kinds, tokens }) => {
    const used = textTokens(joinParts(compaction, kinds));
    const allowed = Math.floor(tokens * share);
    return used <= allowed * ESTIMATE_TOLERANCE
      ? []
      : [`${kinds.join(" and ")} have ${used} tokens, ${allowed} are allowed (${rung})`];
  });
}

/** Parts are estimated one by one, so that their sum differs from the estimate of the whole. */
const ESTIMATE_TOLERANCE = 1.05;

function joinParts(compaction: CompactionEntry, kinds: readonly string[]): string {
  return readSummaryPartTexts(compaction)
    .flatMap(({ part, text }) => (kinds.includes(part.kind) ? [text.replace(STORY_TITLE, "")] : []))
    .join("")
    .trim();
}

/** The title is not part of the summary that the checkpoint limits. */
const STORY_TITLE = /^# Summary [^\n]*\n/;

/** Returns how many tokens the model counts for each estimated one. */
export function readCalibrationFactor({ details }: CompactionEntry, { model }: Budget): number {
  const { calibration } = (details as { readonly pith?: { readonly calibration?: CalibrationRecord } }).pith ?? {};
  return (model && calibration?.[`${model.provider}/${model.model}`]?.factor) || 1;
}

type CalibrationRecord = Readonly<Record<string, { readonly factor: number }>>;
