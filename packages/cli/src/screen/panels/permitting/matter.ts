/** What a question is about, as a person must see it to answer: the change, the whole command, the address. Pure. */

import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
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

/** All of it, each line within the width. */
export function matterLines(matter: Matter, { width, theme }: MatterSight): readonly string[] {
  switch (matter.kind) {
    case "change":
      return changeLines(matter, { width, theme });
    case "command":
      return wrapped(matter.command, width).map((line, at) => ` ${theme.dim(at === 0 ? "$" : " ")} ${line}`);
    case "address":
      return wrapped(matter.url, width).map((line) => `   ${theme.link(line)}`);
    case "other":
      return wrapped(matter.text, width).map((line) => `   ${line}`);
  }
}

function changeLines({ diff, path, isNew }: Extract<Matter, { kind: "change" }>, sight: MatterSight) {
  const { theme, width } = sight;
  const lines = shown(diff)
    .replace(/^@@.*\n/, "")
    .split("\n");
  const [added, removed] = [count(lines, "+"), count(lines, "-")];
  const amounts = isNew ? `new, ${added} ${added === 1 ? "line" : "lines"}` : `+${added} −${removed}`;
  const head = wrapped(`${path}  ${amounts}`, width).map((line) => ` ${theme.strong(line)}`);
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
  return shown(text)
    .split("\n")
    .flatMap((line) => (visibleWidth(line) <= room ? [line] : wrapTextWithAnsi(line, room)));
}

function shown(text: string): string {
  return plain(text).replaceAll("\t", "    ");
}
