/** Defines the questions that extensions can ask: a choice, yes or no, and a line. Each is marked as an extension's question. */

import { harmlessLine, harmlessLines } from "../../../text/safe-text.ts";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { choice, type Picked, type Picking, pick } from "./choice.ts";
import { answered, goesOn, type Panel, type Sight } from "./panel.ts";
import { drawLine, emptyLine, hintLine, type LineInput, typedInto, type Walk } from "./widgets.ts";

const ASKS = "An extension asks";

/** The place of the option that was taken. */
export function fewPanel(title: string, options: readonly string[]): Panel<Walk, number> {
  return choice({
    title: ASKS,
    body: ({ theme }) => harmlessLines(title, MOST_LINES).map((line) => theme.strong(` ${line}`)),
    options: options.map((option, value) => ({ label: harmlessLine(option, LONGEST), value })),
  });
}

/** More of them than stand on a screen at once: typing searches. */
export function manyPanel(title: string, options: readonly string[]): Panel<Picking, Picked<number>> {
  const rows = options.map((option, value) => ({ label: harmlessLine(option, LONGEST), says: "", value }));
  return pick({ title: `${ASKS}: ${harmlessLine(title, LONGEST)}`, rows, leave: "Esc leaves it" });
}

export function confirmPanel(title: string, message: string): Panel<Walk, boolean> {
  return choice({
    title: ASKS,
    body: ({ theme }) => [
      ...harmlessLines(title, MOST_LINES).map((line) => theme.strong(` ${line}`)),
      ...(message === "" ? [] : harmlessLines(message, MOST_LINES).map((line) => ` ${line}`)),
    ],
    options: [
      { key: "y", label: "Yes", value: true },
      { key: "n", label: "No", value: false },
    ],
  });
}

export function inputPanel(title: string, placeholder: string): Panel<LineInput, string> {
  return {
    start: emptyLine,
    spoken: {
      title: ASKS,
      lines: () => [title, ...(placeholder === "" ? [] : [`Such as: ${placeholder}`])].flatMap(asLines),
      options: [],
      line: (text) => text,
    },
    press: (line, key) => {
      if (key === "enter") return answered(line.text);
      const typed = typedInto(line, key);
      return typed && goesOn(typed);
    },
    draw: (line, sight) => drawn({ line, title, placeholder }, sight),
  };
}

interface Typed {
  readonly line: LineInput;
  readonly title: string;
  readonly placeholder: string;
}

function drawn({ line, title, placeholder }: Typed, { width, height, theme }: Sight): readonly string[] {
  const such = line.text === "" && placeholder !== "" ? theme.dim(harmlessLine(placeholder, LONGEST)) : "";
  const typed = wrapTextWithAnsi(` ❯ ${drawLine(line, theme)}${such}`, Math.max(1, width));
  const words = asLines(title).flatMap((each) => wrapTextWithAnsi(` ${each}`, Math.max(1, width)));
  return [
    theme.border("─".repeat(width)),
    theme.strong(` ${ASKS}`),
    ...words.slice(0, Math.max(1, height - typed.length - 3)).map((each) => theme.strong(each)),
    ...typed,
    hintLine(["Enter says it", "Esc leaves it"], { width, theme }),
  ];
}

function asLines(text: string): readonly string[] {
  return harmlessLines(text, MOST_LINES);
}

const LONGEST = 200;
const MOST_LINES = 12;
