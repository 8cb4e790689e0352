/** A record of entries by a model, held against them by code: told, checked, corrected once, mended, or refused. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model } from "../model.ts";
import type { Ports } from "../ports.ts";
import type { Request } from "../request.ts";
import type { AskFailure, Call } from "./asking/ask.ts";
import { withIds } from "./asking/citations.ts";
import { answered, type Telling, type Told } from "./asking/question.ts";
import { tell } from "./asking/tell.ts";
import { auditSummary } from "./auditing/audit-summary.ts";
import { type Evidence, evidenceOf } from "./auditing/evidence.ts";
import type { Flaw, FlawCode } from "./auditing/flaw.ts";
import { repaired } from "./auditing/repair.ts";
import { fill } from "./fill.ts";
import { PROMPTS } from "./prompts.ts";
import { type RecordShape, shapeOf } from "./record-shape.ts";
import { type TranscriptBlock, transcriptOf } from "./transcript.ts";

export interface SummaryParts {
  readonly model: Model;
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  /** What is told, oldest first. */
  readonly entries: readonly Entry[];
  /** The beginning of a turn that follows them and whose rest is kept. */
  readonly turn?: readonly Entry[];
  readonly edits?: readonly ContextEditEntry[];
  /** The record so far, to be brought up to date. */
  readonly previous?: string;
  /** Whether that was checked when it was written: what others wrote never was. */
  readonly isChecked?: boolean;
  readonly format?: "summary" | "branch";
  /** What the user or a hook wants looked at. */
  readonly instructions?: string;
  /** Whether these take the place of our own task; then any form will do. */
  readonly replaceInstructions?: boolean;
  /** Of the record, at most. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  /** What it is held against; without it the entries and the record so far. */
  readonly evidence?: Evidence;
  readonly signal?: AbortSignal | undefined;
}

export type Summarised =
  | {
      readonly type: "summarised";
      readonly story: string;
      /** The entries that were put before the model. */
      readonly covers: ReadonlySet<string>;
      /** What code had to mend. */
      readonly mended: readonly Flaw[];
      readonly calls: readonly Call[];
    }
  | { readonly type: "failed"; readonly failure: SummaryFailure; readonly calls: readonly Call[] }
  | { readonly type: "cancelled"; readonly calls: readonly Call[] };

export interface SummaryFailure {
  readonly code: AskFailure["code"] | FlawCode;
  readonly note: string;
}

/** Has a model tell these entries, holds its answer against them, lets it correct itself once and mends the rest. */
export async function generateSummary(parts: SummaryParts): Promise<Summarised> {
  const { entries, turn = [], edits = [] } = parts;
  const blocks = transcriptOf([...entries, ...turn], { edits });
  const shape = shapeOf({ ...parts, hasHistory: entries.length > 0, hasTurn: turn.length > 0 });
  const telling = tellingOf(parts, shape, blocks);
  const { calls } = telling;
  const told = await tell(telling);
  if (told.type !== "told") return { ...told, calls };
  const checked = await corrected(told, { parts, shape, telling });
  if (checked.type !== "checked") return { ...checked, calls };
  return {
    type: "summarised",
    story: shape.story(checked.record),
    covers: new Set([...entries, ...turn].map(({ id }) => id)),
    mended: checked.mended,
    calls,
  };
}

function tellingOf(parts: SummaryParts, shape: RecordShape, blocks: readonly TranscriptBlock[]): Telling {
  const { model, ports, signal, entries, thinking = "off", instructions = "" } = parts;
  const before = new Set(entries.map(({ id }) => id));
  const isHistory = ({ entryId }: TranscriptBlock): boolean => shape.format === "turn" || before.has(entryId);
  return {
    model,
    ports,
    signal,
    thinking,
    format: shape.format,
    history: blocks.filter(isHistory),
    turn: blocks.filter((block) => !isHistory(block)),
    previous: shape.previous,
    instructions: instructions.trim(),
    task: parts.replaceInstructions && instructions.trim() !== "" ? instructions.trim() : undefined,
    tokens: shape.tokens,
    calls: [],
  };
}

type Checked =
  | { readonly type: "checked"; readonly record: string; readonly mended: readonly Flaw[] }
  | { readonly type: "failed"; readonly failure: SummaryFailure }
  | { readonly type: "cancelled" };

interface Checking {
  readonly parts: SummaryParts;
  readonly shape: RecordShape;
  readonly telling: Telling;
}

// One more try for the model that wrote it, then code mends what it can; what is left over speaks against it.
async function corrected(told: Extract<Told, { type: "told" }>, checking: Checking): Promise<Checked> {
  const { parts, shape, telling } = checking;
  const ids = [...telling.history, ...telling.turn].map(({ entryId }) => entryId);
  const evidence = parts.evidence ?? plainEvidence(parts);
  const read = (record: string): string => shape.read(withIds(record, ids));
  const flawsOf = (record: string): readonly Flaw[] => auditSummary(record, evidence, shape);
  const first = read(told.record);
  const flaws = flawsOf(first);
  if (flaws.length === 0) return { type: "checked", record: first, mended: [] };
  const again = await answered(correction(told, flaws), telling);
  if (again.type === "cancelled") return again;
  const second = again.type === "told" ? read(again.record) : first;
  const better = flawsOf(second).length <= flaws.length ? second : first;
  const { story, mended } = repaired(better, evidence, shape);
  const left = flawsOf(story).filter(({ code }) => code !== "other-language");
  if (left[0]) return { type: "failed", failure: left[0] };
  return { type: "checked", record: story, mended };
}

function plainEvidence({ entries, turn = [], edits = [], previous = "", isChecked = false }: SummaryParts): Evidence {
  const nothingElse = { words: "", pins: [], ledger: "", request: null, isOurs: isChecked };
  return evidenceOf({ covered: [...entries, ...turn], edits, previous, ...nothingElse });
}

function correction({ asked, said }: Extract<Told, { type: "told" }>, flaws: readonly Flaw[]): Request {
  const findings = flaws
    .slice(0, MOST_FINDINGS)
    .map(({ note }) => `- ${note}`)
    .join("\n");
  const text = fill(PROMPTS.correction, { findings });
  return {
    ...asked,
    messages: [...asked.messages, said, { role: "user", content: [{ type: "text", text }], timestamp: 0 }],
  };
}

/** Findings that are named; who mends these mends the rest. */
const MOST_FINDINGS = 20;
