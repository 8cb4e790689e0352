/** Implements `/compact` with its preview of what is dropped, kept, pinned and paid, and `/undo` and `/redo`. */

import type { Agent } from "@pith/agent";
import { type Entry, type LoadedBranch, previewCompaction } from "@pith/context";
import { MOVE_TYPE } from "@pith/context/host";
import { createCatalogue } from "@pith/models";
import { compactionTold, stepped } from "../../../commands/compact.ts";
import {
  type PreviewFacts,
  previewFacts,
  type Share,
  type Teller,
} from "../../../context-report/compaction-preview.ts";
import { keyHint } from "../../../settings/keymap-text.ts";
import { isCompacting } from "../../../text/compaction-text.ts";
import { amount, costTold, counted } from "../../../text/format.ts";
import { plain } from "../../../text/safe-text.ts";
import type { Theme } from "../render/theme.ts";
import type { Opener, Talking } from "../screen-context.ts";
import { show } from "../send.ts";
import { CURSOR_MARKER, truncateToWidth } from "../terminal/pi-tui.ts";
import { answered, goesOn, type Panel } from "./panel.ts";
import { drawLine, hintLine, type LineInput, lineOf, typedInto } from "./widgets.ts";

/** Answers what it should look at; empty for nothing special. */
export function preview(facts: PreviewFacts, focus: string): Panel<LineInput, string> {
  return {
    start: lineOf(focus),
    press: (line, key) => {
      if (key === "enter") return answered(line.text.trim());
      const typed = typedInto(line, key);
      return typed ? goesOn(typed) : null;
    },
    draw: (line, { width, height, theme }) => {
      const lines = [...drawHead(facts, theme), ...drawRows(facts, theme)];
      const foot = [
        focusLine(line, theme),
        hintLine(["Enter compacts", "type what it should look at", "Esc leaves all as it is"], { width, theme }),
      ];
      const border = theme.border("─".repeat(width));
      return [border, ...lines.slice(0, Math.max(0, height - 3)), ...foot].map((each) =>
        truncateToWidth(each, width, "…"),
      );
    },
  };
}

function drawHead({ tokens }: PreviewFacts, theme: Theme): readonly string[] {
  const less = theme.dim(`, ${amount(Math.max(0, tokens.before - tokens.after))} less`);
  return [theme.strong(" Compact now?"), ` ${amount(tokens.before)} → about ${amount(tokens.after)} tokens${less}`];
}

function drawRows({ dropped, kept, words, pins, by, price }: PreviewFacts, theme: Theme): readonly string[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ["dropped", share(dropped, "entry", "entries"), "told in short"],
    ["kept", share(kept, "entry", "entries"), "as they were said"],
    ["your words", counted(words.count, "message"), `word for word, up to ${amount(words.tokens)} tokens`],
    ["pinned", counted(pins, "pin"), pins === 0 ? "/pin keeps what must stay" : "word for word"],
    ["recoverable", "all of it", "search, /tree, /undo takes it back"],
    ["summary by", plain(by), price === null ? "" : `about ${costTold(price)}`],
  ];
  return rows.map(([name, figure, says]) => ` ${theme.dim(name.padEnd(12))} ${figure.padEnd(28)} ${theme.dim(says)}`);
}

function share({ count, tokens }: Share, one: string, many: string): string {
  return `${counted(count, one, many)}, ${amount(tokens)} tokens`;
}

function focusLine(line: LineInput, theme: Theme): string {
  const hint =
    line.text === "" ? `${CURSOR_MARKER}${theme.selected(" ")}${theme.dim(" nothing special")}` : drawLine(line, theme);
  return ` ${theme.dim("look at".padEnd(12))} ${hint}`;
}

export const openCompact: Opener = async (words, talking) => {
  const isPreviewed = words === "" || PREVIEW.test(words);
  if (!isPreviewed && words.startsWith("--")) return false;
  if (!isPreviewed) return await compacted(words, talking);
  const { agent } = talking.ready.built;
  // Refused at once, and not after a preview.
  if (isCompacting(agent)) return await compacted("", talking);
  await agent.session.loadState();
  const planned = previewCompaction(agent.session.branch, agent.budget);
  // Why there is nothing to do is told as anywhere.
  if (planned.type !== "planned") return false;
  const panel = preview(previewFacts(planned, tellerOf(talking)), words.replace(PREVIEW, " ").trim());
  const focus = await talking.screen.ask(panel, { where: "inline" });
  return focus === null ? true : await compacted(focus, talking);
};

const PREVIEW = /(?:^|\s)--preview(?=\s|$)/;

/** Its receipt, or why it broke off, stands in the transcript by itself; only what came of nothing is told here. */
async function compacted(focus: string, talking: Talking): Promise<true> {
  const { agent } = talking.ready.built;
  if (agent.isRunning && !isCompacting(agent))
    talking.screen.tell("It is compacted as soon as the request under way has its answer.");
  const outcome = await agent.compact(focus === "" ? undefined : focus);
  if (TOLD_HERE.has(outcome.type)) await show(compactionTold(outcome), talking);
  return true;
}

const TOLD_HERE: ReadonlySet<string> = new Set(["refused", "nothing-to-do", "postponed", "cancelled"]);

function tellerOf({ ready: { built, place } }: Talking): Teller {
  const { provider, model } = built.agent.model;
  const [named] = [place.choices.compaction?.model ?? []].flat();
  const speaking = `${provider}/${model}`;
  const by = named ?? speaking;
  const at = by.indexOf("/");
  const { prices } = createCatalogue().facts(by.slice(0, at), by.slice(at + 1)).facts;
  return { by, isSpeaking: by === speaking, prices };
}

/** Whoever has just undone one wants it again; else the newest is undone. */
export const stepCompaction: Opener = (_, talking) =>
  step(isUndone(talking.ready.built.agent.session.branch) ? "redo" : "undo", talking);

export const openUndo: Opener = async (words, talking) => words === "" && (await step("undo", talking));

export const openRedo: Opener = async (words, talking) => words === "" && (await step("redo", talking));

/** That it is done stands in the transcript by itself; what it means is a hint. */
async function step(which: "undo" | "redo", talking: Talking): Promise<true> {
  const { agent } = talking.ready.built;
  const since = saidSince(agent.session.branch);
  const answer = await stepped(which, agent);
  const outcome = answer.type === "told" ? (Object(answer.data) as { readonly type?: unknown }).type : null;
  if (outcome !== "undone" && outcome !== "redone") await show(answer, talking);
  else
    talking.screen.change((state) => {
      const key = keyHint("undoCompaction", state.keymap);
      return { ...state, hint: outcome === "undone" ? undoneHint(agent, { since, key }) : redoneHint(agent, key) };
    });
  return true;
}

function redoneHint(agent: Agent, key: string | null): string {
  return `The model sees about ${amount(agent.contextUsage().tokens)} tokens now; ${key ?? "/undo"} undoes it again.`;
}

interface Undone {
  /** What was said and done behind the compaction: it is not lost, but no longer seen. */
  readonly since: number;
  readonly key: string | null;
}

/** Two lines at most: what stays behind matters more than when the next one comes. */
function undoneHint(agent: Agent, { since, key }: Undone): string {
  const now = `The model sees about ${amount(agent.contextUsage().tokens)} tokens now`;
  const left = `; the ${counted(since, "message")} said since stay behind on their branch.`;
  return `${now}${since === 0 ? QUIET : left} ${key ?? "/redo"} takes that back.`;
}

const QUIET = ". Nothing is compacted by itself until a tenth of the window has come.";

function saidSince({ entries, compactionIndex: compactionAt }: LoadedBranch): number {
  return entries.slice(compactionAt + 1).filter(({ type }) => type === "message").length;
}

function isUndone({ entries, compactionIndex: compactionAt }: LoadedBranch): boolean {
  return entries.slice(compactionAt + 1).some(isUndo);
}

function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}
