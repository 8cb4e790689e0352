/** How a question looks: the sentence, what it is about as far as there is room, the answers, and the keys. Pure. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Question } from "@pith/agent";
import { plain } from "../../../printing/plain.ts";
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
  const head = [...(isTight ? [] : [theme.border("─".repeat(width))]), ...sentence(shown, sight)];
  const answers = answerLines(shown, sight);
  const about = matterLines(shown.matter, sight);
  const rest = head.length + answers.length + 2 * blank.length + 1;
  const room = Math.max(1, Math.min(MOST_LINES, height - rest));
  const seen = bothEnds(about, room, sight);
  const keys = theme.dim(` ${keyWords(shown, about.length > room)}`);
  return [...head, ...blank, ...seen, ...blank, ...answers, truncateToWidth(keys, width)].slice(0, height);
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
  return theme.dim(`   … ${count} more ${count === 1 ? "line" : "lines"}, Tab shows all`);
}

function answerLines({ state, rows }: ShownQuestion, { theme, width }: Sight): readonly string[] {
  if (state.word) return [truncateToWidth(` Why not? ${drawLine(state.word, theme)}`, width)];
  return rows.map(({ key, label }, at) => {
    const isChosen = at === state.walk.at;
    const words = ` ${isChosen ? "❯" : " "} ${plain(label)}`;
    return truncateToWidth(`${isChosen ? theme.accent(words) : words}${theme.dim(` (${key})`)}`, width);
  });
}

function keyWords({ question, state }: ShownQuestion, isCut: boolean): string {
  if (state.word) return "Enter says it to the model · Esc goes back";
  const other = question.rules.length > 1 ? ["← → another rule"] : [];
  return ["Enter answers", ...other, ...(isCut ? ["Tab shows all"] : []), "Esc: no, and stop"].join(" · ");
}
