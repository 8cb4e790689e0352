/** What a question is about, as a person must see it to answer: the change, the whole command, the address. Pure. */

import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { counted } from "../../../printing/amounts.ts";
import { shownText } from "../../drawing/lines/wrapped.ts";
import type { Theme } from "../../drawing/theme.ts";

export type Matter =
  /** `diff` is unified, without its two lines of names. */
  | { readonly kind: "change"; readonly path: string; readonly isNew: boolean; readonly diff: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "address"; readonly url: string }
  /** Whatever it was called with. */
  | { readonly kind: "other"; readonly text: string };

export interface MatterSight {
  readonly width: number;
  readonly theme: Theme;
}

/** All of it, each line within the width. Drawn anew only for another width or other colours: it may be a file of megabytes. */
export function matterLines(matter: Matter, { width, theme }: MatterSight): readonly string[] {
  const look = `${width} ${theme.name}`;
  const known = drawn.get(matter);
  if (known?.look === look) return known.lines;
  const lines = linesOf(matter, { width, theme });
  drawn.set(matter, { look, lines });
  return lines;
}

const drawn = new WeakMap<Matter, { readonly look: string; readonly lines: readonly string[] }>();

function linesOf(matter: Matter, { width, theme }: MatterSight): readonly string[] {
  switch (matter.kind) {
    case "change":
      return changeLines(matter, { width, theme });
    case "command":
      return wrapped(shownText(matter.command), width).map((line, at) => ` ${theme.dim(at === 0 ? "$" : " ")} ${line}`);
    case "address":
      return wrapped(shownText(matter.url), width).map((line) => `   ${theme.link(line)}`);
    case "other":
      return wrapped(shownText(matter.text), width).map((line) => `   ${line}`);
  }
}

function changeLines({ diff, path, isNew }: Extract<Matter, { kind: "change" }>, sight: MatterSight) {
  const { theme, width } = sight;
  const lines = shownText(diff)
    .replace(/^@@.*\n/, "")
    .split("\n");
  const [added, removed] = [count(lines, "+"), count(lines, "-")];
  const amounts = isNew ? `new, ${counted(added, "line")}` : `+${added} −${removed}`;
  const head = wrapped(shownText(`${path}  ${amounts}`), width).map((line) => ` ${theme.strong(line)}`);
  return [...head, ...lines.flatMap((line) => diffLine(line, sight))];
}

function diffLine(line: string, { width, theme }: MatterSight): readonly string[] {
  if (line === "") return [];
  if (line.startsWith("@@")) return [theme.dim("   ⋯")];
  const sign = line.slice(0, 1);
  const ink = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  return wrapped(line.slice(1), width - 2).map((part, at) => `   ${ink(`${at === 0 ? sign : " "} ${part}`)}`);
}

function count(lines: readonly string[], sign: string): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

/** With room for what stands before each line. */
function wrapped(text: string, width: number): readonly string[] {
  const room = Math.max(10, width - 4);
  return text.split("\n").flatMap((line) => broken(line, room));
}

/** None of it is left out; only between words it is broken where it is not too long for that. */
function broken(line: string, room: number): readonly string[] {
  // Its letters are its columns, as in nearly every line of code.
  const isNarrow = /^[ -~]*$/.test(line);
  if (isNarrow && line.length <= room) return [line];
  if (line.length <= LONG) return wrapTextWithAnsi(line, room);
  return line.match(isNarrow ? new RegExp(`.{1,${room}}`, "g") : new RegExp(`.{1,${room >> 1}}`, "gu")) ?? [];
}

const LONG = 2_000;
