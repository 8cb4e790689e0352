/** Implements the permission and folder trust questions. A grant that lasts is only ever given by Enter on its row. */

import { describeRule, type PermissionAnswer, type PermissionQuestion } from "@pith/agent";
import { counted } from "../../../text/format.ts";
import { plain, plainLine } from "../../../text/safe-text.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { type PageState, textPage } from "./pager.ts";
import { answered, goesOn, type Panel, type Pressed, type Sight } from "./panel.ts";
import { type Matter, matterLines } from "./permission-subject.ts";
import {
  atTop,
  drawLine,
  emptyLine,
  hintLine,
  type LineInput,
  typedInto,
  type Walk,
  walked,
  walkTo,
} from "./widgets.ts";

export interface ShownQuestion {
  readonly question: PermissionQuestion;
  readonly matter: Matter;
  readonly state: QuestionState;
  readonly rows: readonly Row[];
}

export function drawQuestion(shown: ShownQuestion, sight: Sight): readonly string[] {
  const { theme, width, height } = sight;
  // Where there is little room, what is asked matters more than how it looks.
  const isTight = height < TIGHT;
  const blank = isTight ? [] : [""];
  const answers = answerLines(shown, sight).slice(0, Math.max(1, height - 3));
  const ruler = isTight ? [] : [theme.border("─".repeat(width))];
  const head = [...ruler, ...sentence(shown, sight).slice(0, Math.max(1, height - answers.length - 2))];
  const about = matterLines(shown.matter, sight);
  const rest = head.length + answers.length + 2 * blank.length + 1;
  const room = Math.max(1, Math.min(MOST_LINES, height - rest));
  const seen = bothEnds(about, room, sight);
  const keys = sight.isTyping ? [] : [hintLine(hintsFor(shown, about.length > room), sight)];
  return [...head, ...blank, ...seen, ...blank, ...answers, ...keys.map((line) => truncateToWidth(line, width, "…"))];
}

const TIGHT = 13;

/** A long beginning must not hide what comes last. */
function bothEnds(lines: readonly string[], room: number, sight: Sight): readonly string[] {
  if (lines.length <= room) return lines;
  const end = Math.min(3, Math.floor(room / 3));
  const start = room - end - 1;
  return [...lines.slice(0, start), cut(lines.length - start - end, sight), ...lines.slice(lines.length - end)];
}

/** More of it is seen on a page of its own. */
const MOST_LINES = 20;

/** A command stands below the sentence, so the sentence does not repeat it. */
function sentence({ question, matter }: ShownQuestion, { theme, width }: Sight): readonly string[] {
  const words = matter.kind === "command" ? withoutCommand(question) : question.text;
  return wrapTextWithAnsi(plain(words), Math.max(10, width - 2)).map((line) => ` ${theme.strong(line)}`);
}

function withoutCommand({ text, intent }: PermissionQuestion): string {
  const [start, end] = [text.indexOf("`"), text.lastIndexOf("`")];
  if (end <= start) return text;
  return `${text.slice(0, start)}${intent?.type === "network" ? "This command" : "this"}${text.slice(end + 1)}`;
}

function cut(count: number, { theme }: Sight): string {
  return theme.dim(`   … ${counted(count, "more line")}, Tab shows all`);
}

function answerLines({ state, rows }: ShownQuestion, { theme, width, height }: Sight): readonly string[] {
  if (state.word) return wrapTextWithAnsi(` Why not? ${drawLine(state.word, theme)}`, width).slice(-3);
  return rows.flatMap(({ key, label, isLasting }, at) => {
    // A lasting grant has no key of its own: its number leads to it, and Enter gives it.
    const short = key === undefined || isLasting ? "" : theme.dim(` (${key})`);
    const words = `${at + 1}. ${plainLine(label)}`;
    if (at !== state.walk.at) return `   ${truncateToWidth(words, width - 7, "…")}${short}`;
    // What would be permitted is read to its end before it is, as far as there is room.
    const lines = wrapTextWithAnsi(words, Math.max(10, width - 7)).slice(0, Math.max(1, height - 8));
    return lines.map((line, row) => {
      const isLast = row === lines.length - 1;
      return `${theme.accent(` ${row === 0 ? "❯" : " "} ${line}`)}${isLast ? short : ""}`;
    });
  });
}

function hintsFor({ question, state, rows }: ShownQuestion, isCut: boolean): readonly string[] {
  if (state.word) return ["Enter says it to the model", "Esc goes back"];
  const other = question.rules.length > 1 ? ["←→ another rule"] : [];
  const numbers = `↑↓ or 1–${rows.length} choose`;
  return ["Enter answers", numbers, ...other, ...(isCut ? ["Tab shows all"] : []), STOPS];
}

const STOPS = "Esc: no, and stop";

export interface QuestionState {
  readonly walk: Walk;
  /** Which of the rules is offered, the narrowest first. */
  readonly rule: number;
  /** What is typed for the model; null where nothing is. */
  readonly word: LineInput | null;
}

export function rowsOf(
  { rules, yesLasts, intent }: PermissionQuestion,
  { rule }: Pick<QuestionState, "rule">,
): readonly Row[] {
  const offered = rules[rule];
  const remembered = (place: "session" | "project"): readonly Row[] =>
    offered
      ? [
          {
            label: `Yes, and in this ${place} always ${describeRule(offered)}: ${offered.text}`,
            answer: { type: "yes", remember: { rule: offered, for: place } },
            isLasting: true,
          },
        ]
      : [];
  const once: Row = { key: "y", label: "Yes, this once", answer: { type: "yes" } };
  return [
    yesLasts ? { ...once, label: `Yes, this ${scopeOf(intent)} for this session`, isLasting: true } : once,
    ...(yesLasts ? [] : remembered("session")),
    ...remembered("project"),
    { key: "n", label: "No", answer: { type: "no" } },
    { label: "No, and say why", answer: "word" },
  ];
}

/** What a yes for the session covers: a page is asked about, and its whole host is allowed. */
function scopeOf(intent: PermissionQuestion["intent"]): "host" | "port" {
  return intent?.type === "port" ? "port" : "host";
}

export interface Row {
  /** Answers at once, unless the answer lasts: then it only leads to the row. */
  readonly key?: string;
  readonly label: string;
  /** `word`: something is typed first. */
  readonly answer: PermissionAnswer | "word";
  /** Permits more than this one call, so that only Enter on its row gives it. */
  readonly isLasting?: true;
}

/** `whole`: somebody wants to see all that it is about first. */
export type QuestionAnswer = PermissionAnswer | { readonly type: "whole"; readonly at: QuestionState };

export interface QuestionParts {
  readonly question: PermissionQuestion;
  readonly matter: Matter;
  /** Where somebody looked at all of it and is back. */
  readonly at?: QuestionState;
}

export function questionPanel(parts: QuestionParts): Panel<QuestionState, QuestionAnswer> {
  const { question } = parts;
  const start: QuestionState = { walk: atTop, rule: 0, word: null };
  return {
    start: parts.at ?? start,
    spoken: {
      title: question.text,
      lines: (sight) => matterLines(parts.matter, sight),
      // Nobody types a word where only numbers are read.
      options: rowsOf(question, start).flatMap(({ label, answer }) =>
        answer === "word" ? [] : [{ label, value: answer }],
      ),
    },
    press: (state, key) => pressed(state, key, parts),
    draw: (state, sight) => drawQuestion({ state, ...parts, rows: rowsOf(question, state) }, sight),
  };
}

type Step = Pressed<QuestionState, QuestionAnswer> | null;

function pressed(state: QuestionState, key: string, { question }: QuestionParts): Step {
  if (state.word) return typed(state, state.word, key);
  const rows = rowsOf(question, state);
  const length = { count: rows.length, rows: rows.length };
  if (key === "enter") return taken(state, rows[state.walk.at]);
  const named = rows.findIndex((row, at) => row.key === key || `${at + 1}` === key);
  const row = rows[named];
  if (row && row.key === key && !row.isLasting) return taken(state, row);
  if (row) return goesOn({ ...state, walk: walkTo(state.walk, named, length) });
  if (key === "tab" || key === "ctrl+o") return answered({ type: "whole", at: state });
  if (key === "left" || key === "right") return goesOn({ ...state, rule: otherRule(state, key, question) });
  const walk = walked(state.walk, key, length);
  return walk ? goesOn({ ...state, walk }) : null;
}

function taken(state: QuestionState, row: Row | undefined): Step {
  if (!row) return null;
  return row.answer === "word" ? goesOn<QuestionState>({ ...state, word: emptyLine }) : answered(row.answer);
}

function typed(state: QuestionState, word: LineInput, key: string): Step {
  if (key === "escape") return goesOn<QuestionState>({ ...state, word: null });
  if (key === "enter") return answered({ type: "no", ...(word.text.trim() !== "" && { word: word.text.trim() }) });
  const next = typedInto(word, key);
  return next ? goesOn<QuestionState>({ ...state, word: next }) : null;
}

function otherRule({ rule }: QuestionState, key: "left" | "right", { rules }: PermissionQuestion): number {
  const next = key === "right" ? rule + 1 : rule - 1;
  return Math.max(0, Math.min(next, rules.length - 1));
}

export type TrustAnswer = "always" | "once" | "no";

/** `text` says what the folder holds, for people; nobody's words in it are trusted. */
export function trustPage(text: string): Panel<PageState, TrustAnswer> {
  return textPage<TrustAnswer>({
    title: "Do you trust this folder?",
    lines: (sight) => linesOf(text, sight),
    options: [
      { key: "n", label: "No", value: "no" },
      { key: "o", label: "Only this time", value: "once" },
      { key: "y", label: "Yes, as it is now", value: "always", isLasting: true },
    ],
  });
}

const WHAT =
  "It brings settings, skills, templates or servers of its own. They count only if you trust them. You are asked again when they change.";

function linesOf(text: string, { width, theme }: Sight): readonly string[] {
  const room = Math.max(10, width - 2);
  const told = plain(text).replaceAll("\t", "    ").split("\n");
  return [
    ...wrapTextWithAnsi(WHAT, room).map((line) => ` ${theme.dim(line)}`),
    "",
    ...told.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, room).map((part) => ` ${part}`))),
  ];
}
