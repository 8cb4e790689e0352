/** What is under way, in one line, with how to stop it; nothing where nothing is. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import { amount } from "../../printing/amounts.ts";
import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import { keyTold } from "../keys/key-hint.ts";
import type { ScreenState, Work } from "../state/screen-state.ts";

export function statusLines({ work }: ScreenState, { theme, now, width, keymap }: Brush): readonly string[] {
  if (work.type === "idle") return [];
  const [doing = "", ...more] = toldOf(work, now).filter((text) => text !== "");
  // How to stop it is never what there is no room for.
  const stops = keyTold("stop", "stops it", keymap);
  const end = ` · ${elapsed(now - work.since)}${stops && ` · ${stops}`}`;
  const head = `${theme.accent(`● ${plain(doing)}`)}${theme.dim(plain(more.map((text) => ` · ${text}`).join("")))}`;
  return ["", ` ${truncateToWidth(head, Math.max(1, width - end.length - 1), "…")}${theme.dim(end)}`];
}

type UnderWay = Exclude<Work, { type: "idle" }>;

function toldOf(work: UnderWay, now: number): readonly string[] {
  switch (work.type) {
    case "running":
      return [work.doing, soFar(work.letters)];
    case "retrying":
      return [
        `asking again in ${Math.max(0, Math.ceil((work.at - now) / 1000))} s`,
        clipped(work.why.replaceAll(/\s+/g, " "), LONG),
      ];
    case "compacting":
      return [reasons[work.reason], work.step];
    case "summarising":
      return ["summing up the branch you leave", work.step];
  }
}

const LONG = 60;

const reasons = {
  manual: "compacting",
  threshold: "compacting: it is full",
  overflow: "compacting: it was refused as too long",
} as const;

/** About: a token is four letters of most languages, and the exact count comes with the reply. */
function soFar(letters: number): string {
  return letters < LETTERS_OF_A_TOKEN ? "" : `about ${amount(letters / LETTERS_OF_A_TOKEN)} tokens`;
}

const LETTERS_OF_A_TOKEN = 4;

function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
