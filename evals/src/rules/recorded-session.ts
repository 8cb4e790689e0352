/** Plays the recorded session with rules through the built program, and measures every compaction. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compactionLimits, createBudget, readReceipt, textTokens } from "@pith/context";
import { findBuiltProgram, type PithCompaction, playPith } from "../played/play-pith.ts";
import {
  contentText,
  type RecordedRow,
  type Recording,
  readNumberedDrafts,
  readRecording,
  recordingFile,
} from "../played/recording.ts";
import { findCompaction, readCompactedRequest } from "./compacted-request.ts";
import { findNoticedNumbers, findOverruns, measureCompaction, readCalibrationFactor } from "./measure-compaction.ts";
import type { PlayedCompaction } from "./play-session.ts";
import { collapseSpaces, type Rule, type UserMessage } from "./rule.ts";

/** Plays the session once, with the drafts that were recorded for it. */
export async function playRecordedSession(): Promise<readonly PlayedCompaction[]> {
  const recording = readRecording("played-rules");
  const rules = readRecordedRules(listUserRows(recording));
  const options = { program: findBuiltProgram(), summaries: readNumberedDrafts() };
  const compactions = await playPith(recording, options);
  return measureRecording(recording, compactions, rules);
}

function measureRecording(
  recording: Recording,
  compactions: readonly PithCompaction[],
  rules: readonly Rule[],
): readonly PlayedCompaction[] {
  const budget = createBudget(compactionLimits, { contextWindow: WINDOW, model: MODEL });
  const noticed = new Set<number>();
  return compactions.map(({ branch, liveNumbers }, index) => {
    const compaction = findCompaction(branch);
    for (const number of findNoticedNumbers(compaction)) noticed.add(number);
    const rows = listUserRows({ ...recording, segments: recording.segments.slice(0, index + 1) });
    const messages = rows.map((row) => toUserMessage(row, liveNumbers));
    const { route = "", rung = "" } = readReceipt(compaction) ?? {};
    const input = { rules, messages, request: readCompactedRequest(branch), noticed };
    const overruns = findOverruns(compaction, budget);
    const messageTokens = {
      all: messages.reduce((sum, { text }) => sum + textTokens(text), 0),
      fit: Math.floor(budget.userMessages / readCalibrationFactor(compaction, budget)),
    };
    return { ...measureCompaction(input), overruns, route, rung, isPrepared: false, messageTokens };
  });
}

/** The settings of the played program have the same effect as the defaults. */
const WINDOW = 24_000;
const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };

function toUserMessage({ id, message }: RecordedRow, liveNumbers: PithCompaction["liveNumbers"]): UserMessage {
  const [handle] = [...liveNumbers].find(([, entryId]) => entryId === id) ?? [];
  if (handle === undefined || !message) throw new Error(`entry ${id} is not in the played session`);
  return { number: Number(handle.slice(1)), text: contentText(message) };
}

/** Lists the user's messages, without those on an abandoned branch. */
export function listUserRows({
  segments,
  compactions,
}: Pick<Recording, "segments" | "compactions">): readonly RecordedRow[] {
  const branch: RecordedRow[] = [];
  for (const row of segments.flat()) {
    const parent = branch.findLastIndex(({ id }) => id === row.parentId);
    if (row.parentId !== null && !compactions.includes(row.parentId)) branch.length = parent + 1;
    branch.push(row);
  }
  return branch.filter(({ message }) => message?.role === "user");
}

/** A rule of the recording, with the numbers of the entries that state and replace it. */
interface RecordedRule {
  readonly number: number;
  readonly text: string;
  readonly holds: boolean;
  readonly supersededBy?: number;
}

/** The user's words for a rule, and patterns that all match a line that says the same. */
interface RuleProof {
  readonly number: number;
  readonly text: string;
  readonly statements: readonly { readonly quote: string; readonly line: readonly string[] }[];
}

/** Reads the rules of the recording, and checks that the user's messages contain the quotations. */
export function readRecordedRules(rows: readonly RecordedRow[]): readonly Rule[] {
  const { rules }: { readonly rules: readonly RecordedRule[] } = JSON.parse(
    readFileSync(recordingFile("played-rules", "rules.json"), "utf8"),
  );
  const proofs: readonly RuleProof[] = JSON.parse(readFileSync(join(import.meta.dirname, "played-rules.json"), "utf8"));
  if (proofs.length !== rules.length) throw new Error(`${rules.length} rules have ${proofs.length} proofs`);
  return rules.map((rule) => {
    const proof = proofs.find(({ number, text }) => number === rule.number && text === rule.text);
    if (!proof) throw new Error(`the rule has no proof: #${rule.number} ${rule.text}`);
    return toRule(rule, proof, rows);
  });
}

function toRule({ number, text, supersededBy }: RecordedRule, proof: RuleProof, rows: readonly RecordedRow[]): Rule {
  const findRow = (wanted: number): number => rows.findIndex((row) => row.number === wanted);
  const message = findRow(number);
  const messageText = collapseSpaces(rows[message]?.message ? contentText(rows[message].message) : "");
  const statements = proof.statements.map(({ quote, line: patterns }) => {
    if (!messageText.includes(quote)) throw new Error(`the message #${number} does not contain “${quote}”`);
    const isStatedIn = (line: string): boolean => patterns.every((pattern) => new RegExp(pattern, "iu").test(line));
    return { quote, isStatedIn: isStatedIn };
  });
  return { text, message, statements, replacedBy: supersededBy === undefined ? null : findRow(supersededBy) };
}
