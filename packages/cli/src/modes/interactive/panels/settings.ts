/** Implements `/settings`: a page of every setting with its value, source and meaning; Enter changes it in the user's file. */

import { homedir } from "node:os";
import { settingAt } from "../../../settings/fields.ts";
import type { ListedSetting } from "../../../settings/list.ts";
import { settingsFile } from "../../../settings/resolve.ts";
import { saveSetting } from "../../../settings/save.ts";
import { plain } from "../../../text/safe-text.ts";
import { cell, fitted, pathEnd } from "../render/text.ts";
import type { Talking } from "../screen-context.ts";
import { visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { choice } from "./choice.ts";
import { answered, goesOn, type Panel, type Sight } from "./panel.ts";
import { drawLine, emptyLine, hintLine, type LineInput, typedInto, type Walk, walked, walkTo } from "./widgets.ts";

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

export async function openSettings(words: string, talking: Talking): Promise<boolean> {
  const { screen, desk } = talking;
  if (words !== "" || !desk.settings) return false;
  for (let at: SettingsState | undefined; ; ) {
    const listed = desk.settings().map(atHome);
    const page = settingsPage({ listed, ...(at && { at }) });
    const chosen = await screen.ask(page, { where: "page" });
    if (chosen === null) return true;
    at = chosen.at;
    const values = valuesOf(chosen.setting);
    if (values.length === 0) return tellHow(chosen.setting, talking);
    // What went wrong is told below the page, where nobody would see it.
    if ((await change(chosen.setting, values, talking)) === "in-vain") return true;
  }
}

/** Files of one's own are named as one would write them. */
function atHome(setting: ListedSetting): ListedSetting {
  const { source } = setting;
  return source.startsWith(homedir()) ? { ...setting, source: `~${source.slice(homedir().length)}` } : setting;
}

/** Those that can be chosen from; none where something has to be written. */
function valuesOf({ name }: ListedSetting): readonly unknown[] {
  const schema = settingAt(name.split("."))?.kind.schema ?? {};
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/** `in-vain`: something else holds than was chosen, and it was told why. */
async function change(
  setting: ListedSetting,
  values: readonly unknown[],
  talking: Talking,
): Promise<"done" | "in-vain"> {
  const { screen, desk } = talking;
  const options = values.map((value) => ({ label: String(value), value: { value } }));
  const at = Math.max(0, values.indexOf(setting.value));
  const panel = choice({
    title: setting.name,
    body: () => ["", ` ${setting.says.replaceAll("`", "")}`, ` Now: ${valueTold(setting)}`, ""],
    options,
    at,
  });
  const wanted = await screen.ask(panel, { where: "page" });
  if (wanted === null || wanted.value === setting.value) return "done";
  const path = setting.name.split(".");
  const fault = await saveSetting({ path, value: wanted.value, home: desk.home });
  if (fault !== null) screen.tell(fault.message, "bad");
  if (fault !== null) return "in-vain";
  const told = await desk.reload();
  screen.tell([`${setting.name} is ${JSON.stringify(wanted.value)} in ${settingsFile(desk.home)}`, ...told].join("\n"));
  return overruled(setting.name, wanted.value, talking);
}

/** A project, a variable or a flag may say otherwise, and counts more than one's own file. */
function overruled(name: string, wanted: unknown, { screen, desk }: Talking): "done" | "in-vain" {
  const now = desk.settings?.().find((each) => each.name === name);
  if (!now || now.value === wanted) return "done";
  screen.tell(
    `it counts where ${now.source} does not say otherwise; here it says ${JSON.stringify(now.value)}`,
    "warning",
  );
  return "in-vain";
}

/** Whatever is written in words is written in the file. */
function tellHow({ name, says }: ListedSetting, { screen, desk }: Talking): boolean {
  const { kind } = settingAt(name.split(".")) ?? {};
  const how = kind ? `write ${kind.write}` : "write it";
  screen.tell(`${name}: ${says.replaceAll("`", "")}\n${how}, in ${settingsFile(desk.home)}; then /reload`);
  return true;
}
