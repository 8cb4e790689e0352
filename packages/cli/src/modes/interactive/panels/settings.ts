/** Implements `/settings`: a page of every setting with its value, source and description. Enter changes a setting in the user's file. */

import { homedir } from "node:os";
import { findSetting } from "@pith/host/settings/fields";
import { escapeControls } from "@pith/host/text/safe-text";
import type { ListedSetting } from "../../../settings/list.ts";
import { settingsFilePath } from "../../../settings/resolve.ts";
import { saveSetting } from "../../../settings/save.ts";
import { fitCell, fitLine, truncatePath } from "../render/text.ts";
import type { SessionScreen } from "../screen-context.ts";
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
  /** The state to restore after a change. */
  readonly initialState?: SettingsState;
}

export function createSettingsPage({
  settings,
  initialState,
}: SettingsPageOptions): Panel<SettingsState, { readonly setting: ListedSetting; readonly state: SettingsState }> {
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
  return settings.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(queryText));
}

/** Other rows are for the head (2), a rule, the description and the hints. */
function countVisibleRows(height: number): number {
  return Math.max(1, height - DESCRIPTION_ROWS - 4);
}

const DESCRIPTION_ROWS = 3;

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
    `${theme.strong(" Settings")}  ${theme.dim("filter:")} ${renderInput(query, theme)}`,
    theme.border("─".repeat(width)),
    ...rows,
    ...blank,
    theme.border("─".repeat(width)),
    ...Array.from({ length: DESCRIPTION_ROWS }, (_, index) => description[index] ?? ""),
    renderHints(["↑↓ move", "type to filter", describeEnter(settings[position.index]), "Esc close"], viewport),
  ].map((line) => fitLine(line, width));
}

/** What Enter does depends on whether the value can be chosen from a list. */
function describeEnter(setting: ListedSetting | undefined): string {
  return setting && listValues(setting).length === 0
    ? "Enter show how to change it"
    : "Enter change in your settings file";
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

/** A description in place of a value is put in parentheses, since it cannot be written as a value. */
function formatValue({ value, valueText }: ListedSetting): string {
  return valueText === undefined ? (JSON.stringify(value) ?? "") : `(${valueText.replaceAll("`", "")})`;
}

function flattenText(text: string): string {
  return escapeControls(text.replaceAll(/\s+/g, " "));
}

function renderDescription(setting: ListedSetting | undefined, { width, theme }: Viewport): readonly string[] {
  if (!setting) return [theme.dim("   No matching settings.")];
  const description = escapeControls(setting.description.replaceAll("`", ""));
  const lines = wrapTextWithAnsi(description, Math.max(10, width - 2));
  // The last row is cut with an ellipsis if the rest does not fit. Enter shows all of it.
  const lastRow = lines.slice(DESCRIPTION_ROWS - 1).join(" ");
  return [...lines.slice(0, DESCRIPTION_ROWS - 1), lastRow].map((line) => ` ${line}`);
}

export async function openSettings(
  args: string,
  context: SessionScreen<"home" | "listSettings" | "reload">,
): Promise<boolean> {
  const { screen, app } = context;
  if (args !== "" || !app.listSettings) return false;
  for (let pageState: SettingsState | undefined; ; ) {
    const settings = app.listSettings().map(shortenSource);
    const page = createSettingsPage({ settings, ...(pageState && { initialState: pageState }) });
    const result = await screen.showPanel(page, { where: "page" });
    if (result === null) return true;
    pageState = result.state;
    const values = listValues(result.setting);
    if (values.length === 0) return explainEditing(result.setting, context);
    // The note appears below the page, so the page is closed to make it visible.
    if ((await changeSetting(result.setting, values, context)) === "no-effect") return true;
  }
}

/** Replaces the user's home folder with `~`. */
function shortenSource(setting: ListedSetting): ListedSetting {
  const { source } = setting;
  return source.startsWith(homedir()) ? { ...setting, source: `~${source.slice(homedir().length)}` } : setting;
}

/** Returns the values to choose from. Empty if the value must be written in the file. */
function listValues({ name }: ListedSetting): readonly unknown[] {
  const schema = findSetting(name.split("."))?.kind.schema ?? {};
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/** `no-effect`: the chosen value is not in effect, and a note says why. */
async function changeSetting(
  setting: ListedSetting,
  values: readonly unknown[],
  context: SessionScreen<"home" | "listSettings" | "reload">,
): Promise<"done" | "no-effect"> {
  const { screen, app } = context;
  const options = values.map((value) => ({ label: String(value), value: { value } }));
  const initialIndex = Math.max(0, values.indexOf(setting.value));
  const panel = createChoicePanel({
    title: setting.name,
    body: () => ["", ` ${setting.description.replaceAll("`", "")}`, ` Current value: ${formatValue(setting)}`, ""],
    options,
    initialIndex,
  });
  const choice = await screen.showPanel(panel, { where: "page" });
  if (choice === null || choice.value === setting.value) return "done";
  const path = setting.name.split(".");
  const error = await saveSetting({ path, value: choice.value, home: app.home });
  if (error !== null) screen.showNote(error.message, "bad");
  if (error !== null) return "no-effect";
  const notices = await app.reload();
  screen.showNote(
    [`Set ${setting.name} to ${JSON.stringify(choice.value)} in ${settingsFilePath(app.home)}.`, ...notices].join("\n"),
  );
  return reportOverride(setting.name, choice.value, context);
}

/** A project, an environment variable or a flag can override the user's file. */
function reportOverride(
  name: string,
  savedValue: unknown,
  { screen, app }: SessionScreen<"listSettings">,
): "done" | "no-effect" {
  const effective = app.listSettings().find((setting) => setting.name === name);
  if (!effective || effective.value === savedValue) return "done";
  screen.showNote(
    `Not in effect here: ${effective.source} sets ${name} to ${JSON.stringify(effective.value)}.`,
    "warning",
  );
  return "no-effect";
}

/** Explains how to set a value that cannot be chosen from a list. */
function explainEditing({ name, description }: ListedSetting, { screen, app }: SessionScreen<"home">): boolean {
  const { kind } = findSetting(name.split(".")) ?? {};
  const instruction = `To change it, edit ${settingsFilePath(app.home)} and run /reload.`;
  const expected = kind ? ` Expected value: ${kind.expected}.` : "";
  screen.showNote(`${name}: ${description.replaceAll("`", "")}\n${instruction}${expected}`);
  return true;
}
