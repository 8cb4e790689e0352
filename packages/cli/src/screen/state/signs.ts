/** What extensions show beside a talk: a few words below it, and a few lines above the editor. Never more than a part of the screen. Pure. */

import { harmlessLine, harmlessLines } from "../../printing/harmless-words.ts";

export interface Signs {
  readonly statuses: Readonly<Record<string, string>>;
  readonly widgets: Readonly<Record<string, readonly string[]>>;
}

export const noSigns: Signs = { statuses: {}, widgets: {} };

/** Undefined takes it away. */
export function withStatus(signs: Signs, key: string, text: string | undefined): Signs {
  return { ...signs, statuses: placed(signs.statuses, key, text && harmlessLine(text, LONGEST_STATUS)) };
}

/** None are as good as undefined. */
export function withWidget(signs: Signs, key: string, lines: readonly string[] | undefined): Signs {
  const shown = lines && harmlessLines(lines.slice(0, MOST_LINES).join("\n"), MOST_LINES);
  return { ...signs, widgets: placed(signs.widgets, key, lines?.length ? shown : undefined) };
}

/** By their keys, so that they keep their places. */
export function statusWords({ statuses }: Signs): readonly string[] {
  return Object.entries(statuses)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, text]) => (text === "" ? [] : [text]));
}

/** In the order in which they came. */
export function widgetLines({ widgets }: Signs): readonly string[] {
  return Object.values(widgets).slice(0, MOST_WIDGETS).flat();
}

function placed<Sign>(all: Readonly<Record<string, Sign>>, key: string, sign: Sign | "" | undefined) {
  const { [key]: before, ...others } = all;
  if (sign === undefined || sign === "") return others;
  if (before !== undefined) return { ...all, [key]: sign };
  return Object.keys(all).length >= MOST_KEYS ? all : { ...all, [key]: sign };
}

const LONGEST_STATUS = 30;
const MOST_LINES = 10;
const MOST_WIDGETS = 3;
/** However many it makes up, they are forgotten no later than the session. */
const MOST_KEYS = 50;
