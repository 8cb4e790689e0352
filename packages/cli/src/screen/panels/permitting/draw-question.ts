/** How a question looks: the sentence, what it is about as far as there is room, the answers, and the keys. Pure. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Question } from "@pith/agent";
import { counted } from "../../../printing/amounts.ts";
import { plain } from "../../../printing/plain.ts";
import { plainLine } from "../../../printing/plain-line.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine } from "../../widgets/line-input.ts";
import type { Sight } from "../panel.ts";
import { type Matter, matterLines } from "./matter.ts";
import type { QuestionState, Row } from "./question-rows.ts";

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

/** Of a command or an address only what is remarkable: itself it stands below. */
function sentence({ question, matter }: ShownQuestion, { theme, width }: Sight): readonly string[] {
  const words = matter.kind === "command" ? shortened(question) : question.text;
  return wrapTextWithAnsi(plain(words), Math.max(10, width - 2)).map((line) => ` ${theme.strong(line)}`);
}

function shortened({ text }: Question): string {
  const end = text.lastIndexOf("`");
  const [wish] = text.split(" `", 1);
  return end < 0 || wish === undefined ? text : `${wish} this${text.slice(end + 1)}`;
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
