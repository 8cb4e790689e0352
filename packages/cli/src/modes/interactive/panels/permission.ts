/** Implements the permission and folder trust questions. A lasting grant must only be given by Enter on its row. */

import { describeRule, type PermissionAnswer, type PermissionQuestion } from "@pith/agent";
import { formatCount } from "@pith/host/text/format";
import { escapeControls, escapeLine } from "@pith/host/text/safe-text";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { createTextPage, type TextPageState } from "./pager.ts";
import { continueWith, finishWith, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { type PermissionSubject, renderSubject } from "./permission-subject.ts";
import {
  editInput,
  emptyInput,
  type LineInput,
  type ListPosition,
  listStart,
  moveByKey,
  moveTo,
  renderHints,
  renderInput,
} from "./widgets.ts";

export interface QuestionView {
  readonly question: PermissionQuestion;
  readonly subject: PermissionSubject;
  readonly state: QuestionState;
  readonly rows: readonly AnswerRow[];
}

function renderQuestion(view: QuestionView, viewport: Viewport): readonly string[] {
  const { theme, width, height } = viewport;
  // In a low terminal, rules and blank lines are left out to make room for the question.
  const isTight = height < MIN_SPACIOUS_HEIGHT;
  const blank = isTight ? [] : [""];
  const answerRows = renderAnswers(view, viewport).slice(0, Math.max(1, height - 3));
  const ruler = isTight ? [] : [theme.border("─".repeat(width))];
  const heading = [...ruler, ...renderSentence(view, viewport).slice(0, Math.max(1, height - answerRows.length - 2))];
  const subjectRows = renderSubject(view.subject, viewport);
  const otherRows = heading.length + answerRows.length + 2 * blank.length + 1;
  const maxSubjectRows = Math.max(1, Math.min(MAX_SUBJECT_ROWS, height - otherRows));
  const visible = truncateMiddle(subjectRows, maxSubjectRows, viewport);
  const hints = viewport.isTyping ? [] : [renderHints(listHints(view, subjectRows.length > maxSubjectRows), viewport)];
  return [
    ...heading,
    ...blank,
    ...visible,
    ...blank,
    ...answerRows,
    ...hints.map((line) => truncateToWidth(line, width, "…")),
  ];
}

const MIN_SPACIOUS_HEIGHT = 13;

/** Keeps the first and the last lines, so that a long beginning cannot hide the end. */
function truncateMiddle(lines: readonly string[], maxRows: number, viewport: Viewport): readonly string[] {
  if (lines.length <= maxRows) return lines;
  const end = Math.min(3, Math.floor(maxRows / 3));
  const start = maxRows - end - 1;
  return [
    ...lines.slice(0, start),
    viewport.theme.dim(`   … ${formatCount(lines.length - start - end, "more line")}, Tab to show all`),
    ...lines.slice(lines.length - end),
  ];
}

/** The user can open a page with the whole subject. */
const MAX_SUBJECT_ROWS = 20;

function renderSentence({ question, subject }: QuestionView, { theme, width }: Viewport): readonly string[] {
  const text = formatQuestionTitle({ question, subject });
  return wrapTextWithAnsi(escapeControls(text), Math.max(10, width - 2)).map((line) => ` ${theme.strong(line)}`);
}

/** A command is shown below the sentence. The sentence does not repeat it, so that a long command cannot hide what follows it. */
export function formatQuestionTitle({ question, subject }: Pick<QuestionView, "question" | "subject">): string {
  return subject.kind === "command" ? removeCommand(question) : question.text;
}

function removeCommand({ text }: PermissionQuestion): string {
  const [start, end] = [text.indexOf("`"), text.lastIndexOf("`")];
  if (end <= start) return text;
  return `${text.slice(0, start)}this command${text.slice(end + 1)}`;
}

function renderAnswers({ state, rows }: QuestionView, { theme, width, height }: Viewport): readonly string[] {
  if (state.reasonInput) return wrapTextWithAnsi(` Why not? ${renderInput(state.reasonInput, theme)}`, width).slice(-3);
  return rows.flatMap(({ key, label, isLasting }, index) => {
    // A lasting grant has no key of its own: its number selects it, and Enter gives it.
    const keyText = key === undefined || isLasting ? "" : theme.dim(` (${key})`);
    const text = `${index + 1}. ${escapeLine(label)}`;
    // The width without the key shows the scope of a lasting grant even in 40 columns.
    const labelWidth = keyText === "" ? width - 3 : width - 7;
    if (index !== state.position.index) return `   ${truncateToWidth(text, labelWidth, "…")}${keyText}`;
    // The selected row is wrapped instead of cut, so that the user can read what it permits.
    const lines = wrapTextWithAnsi(text, Math.max(10, width - 7)).slice(0, Math.max(1, height - 8));
    return lines.map((line, row) => {
      const isLast = row === lines.length - 1;
      return `${theme.accent(` ${row === 0 ? "❯" : " "} ${line}`)}${isLast ? keyText : ""}`;
    });
  });
}

function listHints({ question, state, rows }: QuestionView, isCut: boolean): readonly string[] {
  if (state.reasonInput) return ["Enter send to the model", "Esc back"];
  const ruleHint = question.rules.length > 1 ? ["←→ change rule"] : [];
  const numberHint = `↑↓ or 1–${rows.length} select`;
  return ["Enter confirm", numberHint, ...ruleHint, ...(isCut ? ["Tab show all"] : []), STOP_HINT];
}

const STOP_HINT = "Esc refuse and stop";

export interface QuestionState {
  readonly position: ListPosition;
  /** The index of the offered rule. The narrowest rule is first. */
  readonly ruleIndex: number;
  /** The reason for the model while the user types it; otherwise null. */
  readonly reasonInput: LineInput | null;
}

export function buildAnswerRows(
  { rules, yesLasts, intent }: PermissionQuestion,
  { ruleIndex }: Pick<QuestionState, "ruleIndex">,
): readonly AnswerRow[] {
  const rule = rules[ruleIndex];
  const createLastingRow = (scope: "session" | "project"): readonly AnswerRow[] =>
    rule
      ? [
          {
            label: `Yes, don't ask again ${scopeNames[scope]} for ${describeRule(rule)}: ${rule.text}`,
            answer: { type: "yes", remember: { rule, for: scope } },
            isLasting: true,
          },
        ]
      : [];
  const once: AnswerRow = { key: "y", label: "Yes, just this once", answer: { type: "yes" } };
  return [
    yesLasts ? { ...once, label: `Yes, allow this ${describeScope(intent)} for this session`, isLasting: true } : once,
    ...(yesLasts ? [] : createLastingRow("session")),
    ...createLastingRow("project"),
    { key: "n", label: "No", answer: { type: "no" } },
    { label: "No, and tell the model why", answer: "reason" },
  ];
}

const scopeNames = { session: "this session", project: "in this project" } as const;

/** Names what a yes for the session covers. For a page, this is its whole host. */
function describeScope(intent: PermissionQuestion["intent"]): "host" | "port" {
  return intent?.type === "port" ? "port" : "host";
}

export interface AnswerRow {
  /** Answers immediately. If the answer is lasting, the key only selects the row. */
  readonly key?: string;
  readonly label: string;
  /** `reason`: the user types a reason first. */
  readonly answer: PermissionAnswer | "reason";
  /** Permits more than this call, so only Enter on the row gives it. */
  readonly isLasting?: true;
}

/** `show-all`: the user wants to see the whole subject first. `state` restores the question afterwards. */
export type QuestionAnswer = PermissionAnswer | { readonly type: "show-all"; readonly state: QuestionState };

export interface QuestionOptions {
  readonly question: PermissionQuestion;
  readonly subject: PermissionSubject;
  /** Set if the user comes back from the page with the whole subject. */
  readonly initialState?: QuestionState;
}

export function createPermissionPanel(options: QuestionOptions): Panel<QuestionState, QuestionAnswer> {
  const { question } = options;
  const start: QuestionState = { position: listStart, ruleIndex: 0, reasonInput: null };
  return {
    initialState: options.initialState ?? start,
    plainQuestion: {
      title: question.text,
      lines: (viewport) => renderSubject(options.subject, viewport),
      cancelLabel: "refuse and stop",
      // The plain screen reads only numbers, so the user cannot type a reason.
      options: buildAnswerRows(question, start).flatMap(({ label, answer }) =>
        answer === "reason" ? [] : [{ label, value: answer }],
      ),
    },
    handleKey: (state, key) => handleKey(state, key, options),
    render: (state, viewport) =>
      renderQuestion({ state, ...options, rows: buildAnswerRows(question, state) }, viewport),
  };
}

type QuestionKeyResult = KeyResult<QuestionState, QuestionAnswer> | null;

function handleKey(state: QuestionState, key: string, { question }: QuestionOptions): QuestionKeyResult {
  if (state.reasonInput) return handleReasonKey(state, state.reasonInput, key);
  const rows = buildAnswerRows(question, state);
  const size = { count: rows.length, rows: rows.length };
  if (key === "enter") return chooseRow(state, rows[state.position.index]);
  const rowIndex = rows.findIndex((row, index) => row.key === key || `${index + 1}` === key);
  const row = rows[rowIndex];
  if (row && row.key === key && !row.isLasting) return chooseRow(state, row);
  const selected = { ...state, position: moveTo(state.position, rowIndex, size) };
  // The reason can be typed immediately; otherwise its first letter would start a message in the editor.
  if (row) return row.answer === "reason" ? chooseRow(selected, row) : continueWith(selected);
  if (key === "tab" || key === "ctrl+o") return finishWith({ type: "show-all", state });
  if (key === "left" || key === "right") return continueWith({ ...state, ruleIndex: nextRule(state, key, question) });
  const position = moveByKey(state.position, key, size);
  return position ? continueWith({ ...state, position }) : null;
}

function chooseRow(state: QuestionState, row: AnswerRow | undefined): QuestionKeyResult {
  if (!row) return null;
  return row.answer === "reason"
    ? continueWith<QuestionState>({ ...state, reasonInput: emptyInput })
    : finishWith(row.answer);
}

function handleReasonKey(state: QuestionState, reasonInput: LineInput, key: string): QuestionKeyResult {
  if (key === "escape") return continueWith<QuestionState>({ ...state, reasonInput: null });
  if (key === "enter")
    return finishWith({ type: "no", ...(reasonInput.text.trim() !== "" && { word: reasonInput.text.trim() }) });
  const nextInput = editInput(reasonInput, key);
  return nextInput ? continueWith<QuestionState>({ ...state, reasonInput: nextInput }) : null;
}

function nextRule({ ruleIndex }: QuestionState, key: "left" | "right", { rules }: PermissionQuestion): number {
  const next = key === "right" ? ruleIndex + 1 : ruleIndex - 1;
  return Math.max(0, Math.min(next, rules.length - 1));
}

export type TrustAnswer = "always" | "once" | "no";

/** `text` describes what the folder contains. It is untrusted. */
export function createTrustPage(text: string): Panel<TextPageState, TrustAnswer> {
  return createTextPage<TrustAnswer>({
    title: "Do you trust this folder?",
    cancelHint: "Esc not now",
    lines: (viewport) => renderTrustText(text, viewport),
    options: [
      // No letters: the first letter of a message must not run the folder's extensions.
      { label: "No", value: "no" },
      { label: "Only this time", value: "once" },
      { label: "Yes, until it changes", value: "always" },
    ],
  });
}

const TRUST_EXPLANATION =
  "It has its own settings, skills, prompt templates, agents, extensions or MCP servers. Pith uses them only if you trust the folder, and asks again when they change.";

function renderTrustText(text: string, { width, theme }: Viewport): readonly string[] {
  const maxWidth = Math.max(10, width - 2);
  const textLines = escapeControls(text).replaceAll("\t", "    ").split("\n");
  return [
    ...wrapTextWithAnsi(TRUST_EXPLANATION, maxWidth).map((line) => ` ${theme.dim(line)}`),
    "",
    ...textLines.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, maxWidth).map((part) => ` ${part}`))),
  ];
}
