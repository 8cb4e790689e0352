/** Implements the permission and folder trust questions. Keys typed for the editor must never grant a permission. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Answer, Question } from "@pith/agent";
import { counted } from "../../../text/format.ts";
import { plain, plainLine } from "../../../text/safe-text.ts";
import { type PageState, textPage } from "./pager.ts";
import { answered, goesOn, isWayOut, type Panel, type Pressed, type Sight } from "./panel.ts";
import { type Matter, matterLines } from "./permission-subject.ts";
import { atTop, drawLine, emptyLine, hintLine, type LineInput, typedInto, type Walk, walked } from "./widgets.ts";

export interface ShownQuestion {
  readonly question: Question;
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
  const keys = hintLine(hintsFor(shown, about.length > room), sight);
  return [...head, ...blank, ...seen, ...blank, ...answers, truncateToWidth(keys, width, "…")];
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

function withoutCommand({ text, intent }: Question): string {
  const [start, end] = [text.indexOf("`"), text.lastIndexOf("`")];
  if (end <= start) return text;
  return `${text.slice(0, start)}${intent?.type === "network" ? "This command" : "this"}${text.slice(end + 1)}`;
}

function cut(count: number, { theme }: Sight): string {
  return theme.dim(`   … ${counted(count, "more line")}, Tab shows all`);
}

function answerLines({ state, rows }: ShownQuestion, { theme, width, height }: Sight): readonly string[] {
  if (state.word) return wrapTextWithAnsi(` Why not? ${drawLine(state.word, theme)}`, width).slice(-3);
  return rows.flatMap(({ key, label }, at) => {
    const short = theme.dim(` (${key})`);
    const words = plainLine(label);
    if (at !== state.walk.at) return `   ${truncateToWidth(words, width - 7, "…")}${short}`;
    // What would be permitted is read to its end before it is, as far as there is room.
    const lines = wrapTextWithAnsi(words, Math.max(10, width - 7)).slice(0, Math.max(1, height - 8));
    return lines.map((line, row) => {
      const isLast = row === lines.length - 1;
      return `${theme.accent(` ${row === 0 ? "❯" : " "} ${line}`)}${isLast ? short : ""}`;
    });
  });
}

function hintsFor({ question, state }: ShownQuestion, isCut: boolean): readonly string[] {
  if (!state.isHeard && state.isTyping) return ["Keys answer as soon as you have stopped typing", STOPS];
  if (state.word) return ["Enter says it to the model", "Esc goes back"];
  const other = question.rules.length > 1 ? ["←→ another rule"] : [];
  return ["Enter answers", ...other, ...(isCut ? ["Tab shows all"] : []), STOPS];
}

const STOPS = "Esc: no, and stop";

export interface QuestionState {
  readonly walk: Walk;
  /** Which of the rules is offered, the narrowest first. */
  readonly rule: number;
  /** What is typed for the model; null where nothing is. */
  readonly word: LineInput | null;
  /** Keys count once somebody has stopped typing: what was meant for the editor must permit nothing. */
  readonly isHeard: boolean;
  /** How many keys came before that. */
  readonly early: number;
  /** Whether these are for the editor. */
  readonly isTyping: boolean;
}

export function rowsOf({ rules, yesLasts, intent }: Question, { rule }: Pick<QuestionState, "rule">): readonly Row[] {
  const offered = rules[rule];
  const remembered = (place: "session" | "project"): Answer | null =>
    offered ? { type: "yes", remember: { rule: offered, for: place } } : null;
  return [
    { key: "y", label: yesLasts ? `Yes, this ${scopeOf(intent)} for this session` : "Yes", answer: { type: "yes" } },
    ...(yesLasts ? [] : row("s", `Yes, and in this session always ${offered?.text}`, remembered("session"))),
    ...row("p", `Yes, and in this project always ${offered?.text}`, remembered("project")),
    { key: "n", label: "No", answer: { type: "no" } },
    { key: "w", label: "No, and say why", answer: "word" },
  ];
}

/** What a yes for the session covers: a page is asked about, and its whole host is allowed. */
function scopeOf(intent: Question["intent"]): "host" | "port" {
  return intent?.type === "port" ? "port" : "host";
}

export interface Row {
  readonly key: string;
  readonly label: string;
  /** `word`: something is typed first. */
  readonly answer: Answer | "word";
}

function row(key: string, label: string, answer: Answer | null): readonly Row[] {
  return answer ? [{ key, label, answer }] : [];
}

/** `whole`: somebody wants to see all that it is about first. */
export type QuestionAnswer = Answer | { readonly type: "whole"; readonly at: QuestionState };

export interface QuestionParts {
  readonly question: Question;
  readonly matter: Matter;
  /** Where somebody looked at all of it and is back. */
  readonly at?: QuestionState;
  /** Milliseconds without a key after which keys count; at once, unless told. */
  readonly quietMs?: number;
  /** Whether somebody is typing below: then keys that come before that are for the editor. */
  readonly isTyping?: boolean;
}

export function questionPanel(parts: QuestionParts): Panel<QuestionState, QuestionAnswer> {
  const { question, quietMs = 0, isTyping = false } = parts;
  const start: QuestionState = { walk: atTop, rule: 0, word: null, isHeard: quietMs === 0, early: 0, isTyping };
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
    learns: async (learn, signal) => learn(await quiet({ quietMs, early: 0, signal })),
  };
}

type Step = Pressed<QuestionState, QuestionAnswer> | null;

function pressed(state: QuestionState, key: string, parts: QuestionParts): Step {
  const { question } = parts;
  if (!state.isHeard) return early(state, key, parts);
  if (state.word) return typed(state, state.word, key);
  const rows = rowsOf(question, state);
  const taken = key === "enter" ? rows[state.walk.at] : rows.find((each) => each.key === key);
  if (taken?.answer === "word") return goesOn<QuestionState>({ ...state, word: emptyLine });
  if (taken) return answered(taken.answer);
  if (key === "tab" || key === "ctrl+o") return answered({ type: "whole", at: state });
  if (key === "left" || key === "right") return goesOn({ ...state, rule: otherRule(state, key, question) });
  const walk = walked(state.walk, key, { count: rows.length, rows: rows.length });
  return walk ? goesOn({ ...state, walk }) : null;
}

function typed(state: QuestionState, word: LineInput, key: string): Step {
  if (key === "escape") return goesOn<QuestionState>({ ...state, word: null });
  if (key === "enter") return answered({ type: "no", ...(word.text.trim() !== "" && { word: word.text.trim() }) });
  const next = typedInto(word, key);
  return next ? goesOn<QuestionState>({ ...state, word: next }) : null;
}

/** Whoever types is waited for, and loses no letter. Escape is meant whenever it comes. */
function early(state: QuestionState, key: string, { quietMs = 0 }: QuestionParts): Step {
  if (isWayOut(key)) return null;
  const next = { ...state, early: state.early + 1, isTyping: state.isTyping || [...key].length === 1 };
  const patience = { quietMs: next.isTyping ? TYPING_MS : quietMs, early: next.early };
  const later = (signal: AbortSignal) => quiet({ ...patience, signal });
  return { type: "goes-on", state: next, later, isTyping: next.isTyping };
}

/** Between two letters of somebody who types slowly. */
const TYPING_MS = 700;

interface Quiet {
  readonly quietMs: number;
  readonly early: number;
  readonly signal: AbortSignal;
}

async function quiet({ quietMs, early, signal }: Quiet): Promise<(state: QuestionState) => QuestionState> {
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  return (state) => (state.early === early ? { ...state, isHeard: true } : state);
}

function otherRule({ rule }: QuestionState, key: "left" | "right", { rules }: Question): number {
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
      { key: "y", label: "Yes, as it is now", value: "always" },
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
