/** Implements `/rules` on the screen: a page of what the user has said, where a line can be pinned and its messages can be opened. */

import type { Agent } from "@pith/agent";
import type { Session } from "@pith/context";
import { splitContent } from "@pith/context/host";
import { formatNumber } from "@pith/host/text/format";
import { escapeLine } from "@pith/host/text/safe-text";
import { toCommandFailure } from "../../../app/live-session.ts";
import { pinOnce } from "../../../commands/pin.ts";
import {
  groupRules,
  type HiddenMessage,
  hasCarriedMark,
  isCut,
  NO_RULES_MESSAGE,
  type Rule,
  type RuleGroup,
  readRules,
  type UserRules,
} from "../../../context-report/user-rules.ts";
import { entryDisplayText, findReferencedEntry } from "../../../sessions/entries.ts";
import { alignEnds, fitCell, fitLine, toDisplayLine } from "../render/text.ts";
import type { PanelCommand } from "../screen-context.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { createPager, type PageLine, type PagerState, wrapPageLines } from "./pager.ts";
import { type Continue, continueWith, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import {
  editInput,
  emptyInput,
  type LineInput,
  type ListPosition,
  type ListSize,
  moveByKey,
  moveTo,
  renderHints,
  renderInput,
} from "./widgets.ts";

export interface RulesPageOptions {
  readonly rules: UserRules;
  /** Reads the text of messages that are only counted. */
  readonly readHidden: (rules: UserRules) => Promise<readonly HiddenMessage[]>;
  /** Reads the whole text of a message. */
  readonly readMessage: (reference: string) => Promise<string>;
  /** Returns the message for the user and the rules afterwards. */
  readonly pin: (rule: Rule) => Promise<{ readonly notice: string; readonly rules: UserRules }>;
}

export interface RulesPageState {
  readonly rules: UserRules;
  readonly hiddenMessages: readonly HiddenMessage[];
  /** The lines after the filter, computed from the fields above. */
  readonly lines: readonly ListLine[];
  /** The selected line and the first visible one. */
  readonly position: ListPosition;
  readonly query: LineInput;
  /** Whether keys change the filter. */
  readonly isFiltering: boolean;
  /** The result of the last action. */
  readonly notice: string | null;
  /** The page of the messages that the user has opened. */
  readonly openMessage: { readonly page: Panel<PagerState, null>; readonly state: PagerState } | null;
}

export type ListLine =
  | { readonly type: "heading"; readonly title: string }
  | { readonly type: "blank" }
  | { readonly type: "rule"; readonly rule: Rule; readonly labelWidth: number };

export function createRulesPage(options: RulesPageOptions): Panel<RulesPageState, null> {
  return {
    initialState: createState(options.rules),
    handleKey: (state, key, viewport) => {
      if (state.openMessage) return handleMessageKey(state, key, viewport);
      const rows = countVisibleRows(viewport?.height ?? DEFAULT_HEIGHT);
      return state.isFiltering ? handleFilterKey(state, key, rows) : handleListKey(state, key, { options, rows });
    },
    render: (state, viewport) =>
      state.openMessage
        ? state.openMessage.page.render(state.openMessage.state, viewport)
        : renderRulesPage(state, viewport),
    loadUpdates: async (update) => {
      if (options.rules.hidden.count === 0) return;
      const hiddenMessages = await options.readHidden(options.rules);
      update((state) => updateLines({ ...state, hiddenMessages }));
    },
  };
}

const DEFAULT_HEIGHT = 24;

function createState(rules: UserRules): RulesPageState {
  const state = {
    ...{ rules, hiddenMessages: [], lines: [], position: { index: 0, top: 0 } },
    ...{ query: emptyInput, isFiltering: false, notice: null, openMessage: null },
  };
  return updateLines(state);
}

/** Computes the lines again, and keeps the selected rule selected if it is still there. */
function updateLines(state: RulesPageState): RulesPageState {
  const { rules, hiddenMessages, query, position } = state;
  const lines = buildLines(groupRules(rules, hiddenMessages), query.text);
  const selectedRule = getSelectedRule(state);
  const sameIndex = lines.findIndex((line) => line.type === "rule" && isSameRule(line.rule, selectedRule));
  const index = sameIndex === -1 ? lines.findIndex(({ type }) => type === "rule") : sameIndex;
  // The row stays where it is on the screen, unless the first heading is visible.
  const isAtTop = sameIndex === -1 || position.top === 0;
  const top = isAtTop ? 0 : Math.max(0, position.top + sameIndex - position.index);
  return { ...state, lines, position: { index, top } };
}

function isSameRule(rule: Rule, other: Rule | undefined): boolean {
  return other !== undefined && rule.kind === other.kind && rule.label === other.label && rule.text === other.text;
}

function buildLines(groups: readonly RuleGroup[], query: string): readonly ListLine[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label, text }: Rule): boolean => {
    const searchText = `${label} ${text}`.toLowerCase();
    return words.every((word) => searchText.includes(word));
  };
  const matchingGroups = groups
    .map((group) => ({ ...group, rules: group.rules.filter(matches) }))
    .filter(({ rules }) => rules.length > 0 || words.length === 0);
  return matchingGroups.flatMap(({ title, rules }, index): readonly ListLine[] => {
    const labelWidth = Math.min(MAX_LABEL_WIDTH, Math.max(0, ...rules.map(({ label }) => visibleWidth(label))));
    return [
      ...(index === 0 ? [] : [{ type: "blank" as const }]),
      { type: "heading", title },
      ...rules.map((rule) => ({ type: "rule" as const, rule, labelWidth })),
    ];
  });
}

const MAX_LABEL_WIDTH = 14;

function getSelectedRule({ lines, position }: RulesPageState): Rule | undefined {
  const line = lines[position.index];
  return line?.type === "rule" ? line.rule : undefined;
}

type PageKeyResult = KeyResult<RulesPageState, null> | null;

function handleMessageKey(state: RulesPageState, key: string, viewport: Viewport | undefined): PageKeyResult {
  const { openMessage } = state;
  const result = openMessage?.page.handleKey(openMessage.state, key, viewport);
  if (openMessage && result?.type === "continue")
    return continueWith<RulesPageState>({ ...state, openMessage: { ...openMessage, state: result.state } });
  return key === "escape" || key === "q" ? continueWith<RulesPageState>({ ...state, openMessage: null }) : null;
}

/** Enter keeps the filter, Esc removes it. */
function handleFilterKey(state: RulesPageState, key: string, rows: number): PageKeyResult {
  if (key === "enter") return continueWith<RulesPageState>({ ...state, isFiltering: false });
  if (key === "escape") return continueWith(removeFilter(state));
  const position = moveToRule(state, key, rows);
  if (position) return continueWith<RulesPageState>({ ...state, position });
  const query = editInput(state.query, key);
  return query && continueWith(updateLines({ ...state, query }));
}

function removeFilter(state: RulesPageState): RulesPageState {
  return updateLines({ ...state, isFiltering: false, query: emptyInput });
}

interface KeyOptions {
  readonly options: RulesPageOptions;
  readonly rows: number;
}

function handleListKey(state: RulesPageState, key: string, { options, rows }: KeyOptions): PageKeyResult {
  if (key === "/") return continueWith<RulesPageState>({ ...state, isFiltering: true, notice: null });
  if (key === "escape" && state.query.text !== "") return continueWith(removeFilter(state));
  const rule = getSelectedRule(state);
  if (rule && key === "enter") return openMessages(state, rule, options);
  if (rule && key === "p") return pinRule(state, rule, options);
  const position = moveToRule(state, key, rows);
  return position && continueWith<RulesPageState>({ ...state, position, notice: null });
}

/** Headings and blank lines are skipped. Null if the key does not move the selection. */
function moveToRule({ lines, position }: RulesPageState, key: string, rows: number): ListPosition | null {
  const size: ListSize = { count: lines.length, rows };
  const target = moveByKey(position, key, size);
  if (!target) return null;
  const isRule = (line: ListLine): boolean => line.type === "rule";
  const next = lines.findIndex((line, index) => index >= target.index && isRule(line));
  const previous = lines.findLastIndex((line, index) => index <= target.index && isRule(line));
  const isDownward = target.index > position.index;
  const index = isDownward ? (next === -1 ? previous : next) : previous === -1 ? next : previous;
  const moved = moveTo(position, index, size);
  // The heading above the first rule stays visible.
  return index === lines.findIndex(isRule) ? { ...moved, top: 0 } : moved;
}

function openMessages(
  state: RulesPageState,
  { kind, references, text }: Rule,
  { readMessage }: RulesPageOptions,
): Continue<RulesPageState> {
  return {
    ...continueWith<RulesPageState>({ ...state, notice: null }),
    loadUpdate: async () => {
      const messages = await Promise.all(
        references.map(async (reference) => ({ reference, text: await readMessage(reference) })),
      );
      const page =
        kind === "pin"
          ? createMessagePage("Pinned", [{ reference: "", text }])
          : createMessagePage("What you wrote", messages);
      return (latest) => ({ ...latest, openMessage: { page, state: page.initialState } });
    },
  };
}

/** With several messages, each has a heading. */
function createMessagePage(title: string, messages: readonly HiddenMessage[]): ReturnType<typeof createPager> {
  const references = messages.map(({ reference }) => reference).filter((reference) => reference !== "");
  return createPager({
    title: [title, ...(references.length > 0 ? [references.join(", ")] : [])].join(" · "),
    lines: (width) =>
      messages.flatMap(({ reference, text }, index): readonly PageLine[] => [
        ...(index > 0 ? [{ text: "" }] : []),
        ...(messages.length > 1
          ? [{ text: fitLine(`── ${escapeLine(reference)}`, width), isHeading: true as const }]
          : []),
        ...wrapPageLines(text.trimEnd(), width - 1).map((line) => ({ text: ` ${line.text}` })),
      ]),
  });
}

/** During a run, a pin waits for the next request. */
function pinRule(state: RulesPageState, rule: Rule, { pin }: RulesPageOptions): Continue<RulesPageState> {
  if (rule.kind === "pin")
    return continueWith<RulesPageState>({ ...state, notice: `Already pinned; /unpin ${rule.label} removes the pin` });
  return {
    ...continueWith<RulesPageState>({ ...state, notice: "Pinning…" }),
    loadUpdate: async () => {
      const { notice, rules } = await pin(rule);
      return (latest) => updateLines({ ...latest, rules, notice });
    },
  };
}

/** Other rows are for the title, a rule above and below the list, the description and the hints. */
function countVisibleRows(height: number): number {
  return Math.max(1, height - FRAME_ROWS);
}

const FRAME_ROWS = 5;

function renderRulesPage(state: RulesPageState, viewport: Viewport): readonly string[] {
  const { width, height, theme } = viewport;
  const { lines, query, isFiltering, notice } = state;
  const rows = countVisibleRows(height);
  // The terminal may have become smaller since the last key.
  const { index, top } = moveTo(state.position, state.position.index, { count: lines.length, rows });
  const visible = lines
    .slice(top, top + rows)
    .map((line, offset) => renderLine(line, { isSelected: top + offset === index, viewport }));
  const list = lines.length === 0 ? [theme.dim(` ${query.text === "" ? NO_RULES_MESSAGE : "No matches."}`)] : visible;
  const blank = Array.from({ length: Math.max(0, rows - list.length) }, () => "");
  const hasFilter = isFiltering || query.text !== "";
  const title = theme.strong(hasFilter ? " Rules" : " What you have said, and what the model reads of it");
  const filter = hasFilter ? `  ${theme.dim("filter:")} ${formatFilter(state, viewport)}` : "";
  const range = theme.dim(lines.length > rows ? formatRange(state, { top, rows }) : "");
  const border = theme.border("─".repeat(width));
  return [
    alignEnds(`${title}${filter}`, range, width),
    border,
    ...list,
    ...blank,
    border,
    ` ${notice === null ? theme.dim(describeRule(getSelectedRule(state))) : toDisplayLine(notice)}`,
    renderHints(listHints(state), viewport),
  ].map((line) => fitLine(line, width));
}

function formatFilter({ query, isFiltering }: RulesPageState, { theme }: Viewport): string {
  return isFiltering ? renderInput(query, theme) : escapeLine(query.text);
}

/** Counts rules, not lines. */
function formatRange(
  { lines }: RulesPageState,
  { top, rows }: { readonly top: number; readonly rows: number },
): string {
  const countRules = (end: number): number => lines.slice(0, end).filter(({ type }) => type === "rule").length;
  const [before, shown, all] = [countRules(top), countRules(top + rows), countRules(lines.length)];
  return `${formatNumber(before + 1)}–${formatNumber(shown)} of ${formatNumber(all)}`;
}

function renderLine(
  line: ListLine,
  { isSelected, viewport: { width, theme } }: { readonly isSelected: boolean; readonly viewport: Viewport },
): string {
  if (line.type === "blank") return "";
  if (line.type === "heading") return theme.heading(` ${escapeLine(line.title)}`);
  const { rule, labelWidth } = line;
  const label = fitCell(escapeLine(rule.label), labelWidth);
  const textWidth = Math.max(1, width - labelWidth - 6);
  const text = truncateToWidth(toDisplayLine(rule.text.slice(0, 8 * textWidth)), textWidth, "…");
  const row = ` ${isSelected ? "❯" : " "} ${label}  ${text}`;
  return isSelected ? theme.accent(row) : row;
}

/** Says what the model reads of the selected rule. */
function describeRule(rule: Rule | undefined): string {
  switch (rule?.kind) {
    case undefined:
      return "";
    case "pin":
      return `Every compaction keeps this word for word; /unpin ${rule.label} removes it.`;
    case "carried":
      return "The model reads this instead of what you wrote; Enter shows what you wrote.";
    case "message":
      if (isCut(rule)) return "The model reads the beginning and the end of this message.";
      return hasCarriedMark(rule)
        ? "The model reads these sentences; lines from the summary stand for each […]."
        : "The model reads this message as you wrote it.";
    case "stub":
      return "The model reads only these words; the summary does not carry over the rest.";
    case "hidden":
      return "The model does not read this message, and the summary does not carry it over.";
  }
}

function listHints({ isFiltering, query }: RulesPageState): readonly string[] {
  if (isFiltering) return ["↑↓ move", "Enter keep the filter", "Esc remove the filter"];
  return ["↑↓ move", "Enter open", "p pin", "/ filter", query.text === "" ? "Esc close" : "Esc remove the filter"];
}

export const openRules: PanelCommand = async (args, context) => {
  if (args !== "") return false;
  const { session } = context.app.agent;
  const rules = await readRules(session);
  // The command without a page says what to do next.
  if (groupRules(rules).length === 0) return false;
  await context.screen.showPanel(createRulesPage(createPageOptions(session.redact(rules), context.app.agent)), {
    where: "page",
  });
  return true;
};

function createPageOptions(rules: UserRules, agent: Agent): RulesPageOptions {
  const { session } = agent;
  return {
    rules,
    readHidden: async ({ hidden }) => await readHiddenMessages(hidden, session),
    readMessage: async (reference) => {
      const entry = await findReferencedEntry(reference, session.store);
      return entry ? session.redact(entryDisplayText(entry)) : "This message is not in the session.";
    },
    pin: async ({ kind, references: [reference], text }) => {
      const request = { text, ...(kind !== "carried" && { reference }) };
      const result = await pinOnce(request, agent).catch(toCommandFailure);
      const notice = result.type === "success" ? result.text : "message" in result ? result.message : "";
      return { notice: session.redact(notice), rules: session.redact(await readRules(session)) };
    },
  };
}

async function readHiddenMessages(
  { messages }: UserRules["hidden"],
  session: Session,
): Promise<readonly HiddenMessage[]> {
  const hiddenMessages: HiddenMessage[] = [];
  for (const { reference } of messages.slice(-MAX_HIDDEN_MESSAGES)) {
    const entry = await findReferencedEntry(reference, session.store);
    if (entry?.type !== "message" || entry.message.role !== "user") continue;
    const { typed } = splitContent(entry.message.content);
    hiddenMessages.push({ reference, text: session.redact(typed) });
  }
  return hiddenMessages;
}

/** The newest ones are listed; the title counts all of them. */
const MAX_HIDDEN_MESSAGES = 200;
