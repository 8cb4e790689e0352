/** Every setting on one page: what holds, who says so, and what it means; Enter changes it. */

import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { ListedSetting } from "../../../home/settings/listed.ts";
import { plain } from "../../../printing/plain.ts";
import { cell, pathEnd } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine, emptyLine, type LineInput, typedInto } from "../../widgets/line-input.ts";
import { type Walk, walked, walkTo } from "../../widgets/list.ts";
import { answered, goesOn, type Panel, type Sight } from "../panel.ts";

export interface SettingsState {
  readonly typed: LineInput;
  readonly walk: Walk;
}

export interface SettingsPage {
  readonly listed: readonly ListedSetting[];
  /** Where one was. */
  readonly at?: SettingsState;
}

export interface ChosenSetting {
  readonly setting: ListedSetting;
  readonly at: SettingsState;
}

export function settingsPage({ listed, at }: SettingsPage): Panel<SettingsState, ChosenSetting> {
  return {
    start: at ?? { typed: emptyLine, walk: { at: 0, top: 0 } },
    press: (state, key, sight) => {
      const fitting = fittingTo(listed, state);
      const setting = key === "enter" ? fitting[state.walk.at] : undefined;
      if (setting) return answered({ setting, at: state });
      const length = { count: fitting.length, rows: roomIn(sight?.height ?? 24) };
      const walk = walked(state.walk, key, length);
      if (walk) return goesOn({ ...state, walk });
      const typed = typedInto(state.typed, key);
      return typed ? goesOn({ typed, walk: walkTo(state.walk, 0, length) }) : null;
    },
    draw: (state, sight) => drawn(fittingTo(listed, state), state, sight),
  };
}

function fittingTo(listed: readonly ListedSetting[], { typed }: SettingsState): readonly ListedSetting[] {
  const wanted = typed.text.toLowerCase();
  return listed.filter(({ name, says }) => `${name} ${says}`.toLowerCase().includes(wanted));
}

/** Two rows of head, and below a ruler, three for what it means, and the keys. */
function roomIn(height: number): number {
  return Math.max(1, height - 7);
}

function drawn(listed: readonly ListedSetting[], { typed, walk }: SettingsState, sight: Sight): readonly string[] {
  const { theme, width, height } = sight;
  const room = roomIn(height);
  const top = Math.max(0, Math.min(Math.max(walk.top, walk.at - room + 1), listed.length - room));
  const seen = listed.slice(top, top + room);
  const columns = columnsFor(listed, width);
  const rows = seen.map((setting, row) => rowLine(setting, { isChosen: top + row === walk.at, columns }, sight));
  const blank = Array.from({ length: room - rows.length }, () => "");
  const foot = meaning(listed[walk.at], sight);
  return [
    `${theme.strong(" Settings")}  ${theme.dim("search:")} ${drawLine(typed, theme)}`,
    theme.border("─".repeat(width)),
    ...rows,
    ...blank,
    theme.border("─".repeat(width)),
    ...Array.from({ length: 3 }, (_, at) => foot[at] ?? ""),
    hintLine(["↑↓ walk", "typing searches", "Enter changes it in your own file", "Esc closes"], sight),
  ].map((line) => fitted(line, width));
}

interface Columns {
  readonly name: number;
  readonly value: number;
  readonly source: number;
}

function columnsFor(listed: readonly ListedSetting[], width: number): Columns {
  const name = Math.min(Math.floor(width / 2), Math.max(12, ...listed.map((each) => visibleWidth(plain(each.name)))));
  const value = Math.max(10, Math.floor((width - name - 8) / 2));
  return { name, value, source: Math.max(4, width - name - value - 9) };
}

interface Mark {
  readonly isChosen: boolean;
  readonly columns: Columns;
}

function rowLine(setting: ListedSetting, { isChosen, columns }: Mark, { theme }: Sight): string {
  const name = ` ${isChosen ? "❯" : " "} ${cell(oneRow(setting.name), columns.name)}`;
  const value = cell(oneRow(valueTold(setting)), columns.value);
  const isSaid = setting.source !== "default";
  const source = isSaid ? theme.dim(`← ${pathEnd(plain(setting.source), columns.source)}`) : "";
  return `${isChosen ? theme.accent(name) : name}  ${isSaid ? value : theme.dim(value)}  ${source}`;
}

/** Words stand in brackets: they are no value that one could write. */
export function valueTold({ value, words }: ListedSetting): string {
  return words === undefined ? (JSON.stringify(value) ?? "") : `(${words.replaceAll("`", "")})`;
}

function oneRow(text: string): string {
  return plain(text.replaceAll(/\s+/g, " "));
}

function meaning(setting: ListedSetting | undefined, { width, theme }: Sight): readonly string[] {
  if (!setting) return [theme.dim("   no setting has this in its name")];
  const words = plain(setting.says.replaceAll("`", ""));
  return wrapTextWithAnsi(words, Math.max(10, width - 2)).map((line) => ` ${line}`);
}
