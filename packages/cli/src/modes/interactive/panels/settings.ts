/** Implements `/settings`: a page of every setting with its value, source and meaning; Enter changes it in the user's file. */

import { homedir } from "node:os";
import { findSetting } from "../../../settings/fields.ts";
import type { ListedSetting } from "../../../settings/list.ts";
import { settingsFilePath } from "../../../settings/resolve.ts";
import { saveSetting } from "../../../settings/save.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import { fitCell, fitLine, truncatePath } from "../render/text.ts";
import type { InteractiveContext } from "../screen-context.ts";
import { visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { createChoicePanel } from "./choice.ts";
import { continueWith, finishWith, type Panel, type Viewport } from "./panel.ts";
import {
  editInput,
  emptyInput,
  type LineInput,
  type ListPosition,
  moveByKey,
  moveTo,
  renderHints,
  renderInput,
} from "./widgets.ts";

export interface SettingsState {
  readonly query: LineInput;
  readonly position: ListPosition;
}

export interface SettingsPageOptions {
  readonly settings: readonly ListedSetting[];
  /** Where one was. */
  readonly initialState?: SettingsState;
}

export interface SettingsPageResult {
  readonly setting: ListedSetting;
  readonly state: SettingsState;
}

export function createSettingsPage({
  settings,
  initialState,
}: SettingsPageOptions): Panel<SettingsState, SettingsPageResult> {
  return {
    initialState: initialState ?? { query: emptyInput, position: { index: 0, top: 0 } },
    handleKey: (state, key, viewport) => {
      const matches = filterSettings(settings, state);
      const setting = key === "enter" ? matches[state.position.index] : undefined;
      if (setting) return finishWith({ setting, state });
      const size = { count: matches.length, rows: countVisibleRows(viewport?.height ?? 24) };
      const position = moveByKey(state.position, key, size);
      if (position) return continueWith({ ...state, position });
      const query = editInput(state.query, key);
      return query ? continueWith({ query, position: moveTo(state.position, 0, size) }) : null;
    },
    render: (state, viewport) => renderSettingsPage(filterSettings(settings, state), state, viewport),
  };
}

function filterSettings(settings: readonly ListedSetting[], { query }: SettingsState): readonly ListedSetting[] {
  const queryText = query.text.toLowerCase();
  return settings.filter(({ name, says }) => `${name} ${says}`.toLowerCase().includes(queryText));
}

/** Two rows of head, and below a ruler, three for what it means, and the keys. */
function countVisibleRows(height: number): number {
  return Math.max(1, height - 7);
}

function renderSettingsPage(
  settings: readonly ListedSetting[],
  { query, position }: SettingsState,
  viewport: Viewport,
): readonly string[] {
  const { theme, width, height } = viewport;
  const visibleRows = countVisibleRows(height);
  const top = Math.max(
    0,
    Math.min(Math.max(position.top, position.index - visibleRows + 1), settings.length - visibleRows),
  );
  const visible = settings.slice(top, top + visibleRows);
  const columns = calculateColumns(settings, width);
  const rows = visible.map((setting, row) =>
    renderRow(setting, { isSelected: top + row === position.index, columns }, viewport),
  );
  const blank = Array.from({ length: visibleRows - rows.length }, () => "");
  const description = renderDescription(settings[position.index], viewport);
  return [
    `${theme.strong(" Settings")}  ${theme.dim("search:")} ${renderInput(query, theme)}`,
    theme.border("─".repeat(width)),
    ...rows,
    ...blank,
    theme.border("─".repeat(width)),
    ...Array.from({ length: 3 }, (_, index) => description[index] ?? ""),
    renderHints(["↑↓ walk", "typing searches", "Enter changes it in your own file", "Esc closes"], viewport),
  ].map((line) => fitLine(line, width));
}

interface Columns {
  readonly name: number;
  readonly value: number;
  readonly source: number;
}

function calculateColumns(settings: readonly ListedSetting[], width: number): Columns {
  const name = Math.min(
    Math.floor(width / 2),
    Math.max(12, ...settings.map((setting) => visibleWidth(escapeControls(setting.name)))),
  );
  const value = Math.max(10, Math.floor((width - name - 8) / 2));
  return { name, value, source: Math.max(4, width - name - value - 9) };
}

interface RowOptions {
  readonly isSelected: boolean;
  readonly columns: Columns;
}

function renderRow(setting: ListedSetting, { isSelected, columns }: RowOptions, { theme }: Viewport): string {
  const name = ` ${isSelected ? "❯" : " "} ${fitCell(flattenText(setting.name), columns.name)}`;
  const value = fitCell(flattenText(formatValue(setting)), columns.value);
  const isSet = setting.source !== "default";
  const source = isSet ? theme.dim(`← ${truncatePath(escapeControls(setting.source), columns.source)}`) : "";
  return `${isSelected ? theme.accent(name) : name}  ${isSet ? value : theme.dim(value)}  ${source}`;
}

/** Words stand in brackets: they are no value that one could write. */
export function formatValue({ value, words }: ListedSetting): string {
  return words === undefined ? (JSON.stringify(value) ?? "") : `(${words.replaceAll("`", "")})`;
}

function flattenText(text: string): string {
  return escapeControls(text.replaceAll(/\s+/g, " "));
}

function renderDescription(setting: ListedSetting | undefined, { width, theme }: Viewport): readonly string[] {
  if (!setting) return [theme.dim("   no setting has this in its name")];
  const description = escapeControls(setting.says.replaceAll("`", ""));
  return wrapTextWithAnsi(description, Math.max(10, width - 2)).map((line) => ` ${line}`);
}

export async function openSettings(args: string, context: InteractiveContext): Promise<boolean> {
  const { screen, app } = context;
  if (args !== "" || !app.listSettings) return false;
  for (let pageState: SettingsState | undefined; ; ) {
    const settings = app.listSettings().map(shortenSource);
    const page = createSettingsPage({ settings, ...(pageState && { initialState: pageState }) });
    const chosen = await screen.showPanel(page, { where: "page" });
    if (chosen === null) return true;
    pageState = chosen.state;
    const values = listValues(chosen.setting);
    if (values.length === 0) return explainEditing(chosen.setting, context);
    // What went wrong is told below the page, where nobody would see it.
    if ((await changeSetting(chosen.setting, values, context)) === "in-vain") return true;
  }
}

/** Files of one's own are named as one would write them. */
function shortenSource(setting: ListedSetting): ListedSetting {
  const { source } = setting;
  return source.startsWith(homedir()) ? { ...setting, source: `~${source.slice(homedir().length)}` } : setting;
}

/** Those that can be chosen from; none where something has to be written. */
function listValues({ name }: ListedSetting): readonly unknown[] {
  const schema = findSetting(name.split("."))?.kind.schema ?? {};
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/** `in-vain`: something else holds than was chosen, and it was told why. */
async function changeSetting(
  setting: ListedSetting,
  values: readonly unknown[],
  context: InteractiveContext,
): Promise<"done" | "in-vain"> {
  const { screen, app } = context;
  const options = values.map((value) => ({ label: String(value), value: { value } }));
  const initialIndex = Math.max(0, values.indexOf(setting.value));
  const panel = createChoicePanel({
    title: setting.name,
    body: () => ["", ` ${setting.says.replaceAll("`", "")}`, ` Now: ${formatValue(setting)}`, ""],
    options,
    initialIndex,
  });
  const chosen = await screen.showPanel(panel, { where: "page" });
  if (chosen === null || chosen.value === setting.value) return "done";
  const path = setting.name.split(".");
  const error = await saveSetting({ path, value: chosen.value, home: app.home });
  if (error !== null) screen.showNote(error.message, "bad");
  if (error !== null) return "in-vain";
  const notices = await app.reload();
  screen.showNote(
    [`${setting.name} is ${JSON.stringify(chosen.value)} in ${settingsFilePath(app.home)}`, ...notices].join("\n"),
  );
  return reportOverride(setting.name, chosen.value, context);
}

/** A project, a variable or a flag may say otherwise, and counts more than one's own file. */
function reportOverride(name: string, saved: unknown, { screen, app }: InteractiveContext): "done" | "in-vain" {
  const effective = app.listSettings().find((setting) => setting.name === name);
  if (!effective || effective.value === saved) return "done";
  screen.showNote(
    `it counts where ${effective.source} does not say otherwise; here it says ${JSON.stringify(effective.value)}`,
    "warning",
  );
  return "in-vain";
}

/** Whatever is written in words is written in the file. */
function explainEditing({ name, says }: ListedSetting, { screen, app }: InteractiveContext): boolean {
  const { kind } = findSetting(name.split(".")) ?? {};
  const instruction = kind ? `write ${kind.expected}` : "write it";
  screen.showNote(
    `${name}: ${says.replaceAll("`", "")}\n${instruction}, in ${settingsFilePath(app.home)}; then /reload`,
  );
  return true;
}
