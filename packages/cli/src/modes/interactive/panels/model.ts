/** Implements `/model`, a searchable list of the models available through API keys and local servers, and `/thinking`. */

import {
  type AvailableModel,
  filterModels,
  formatPrice,
  formatWindow,
  listLocalModels,
  listModelsWithKey,
} from "@pith/host/models/available-models";
import { escapeControls } from "@pith/host/text/safe-text";
import { runCommand } from "../../../commands/run-command.ts";
import { thinkingLevels } from "../../../commands/settings.ts";
import { saveSetting } from "../../../settings/save.ts";
import { fitCell, fitLine } from "../render/text.ts";
import type { InteractiveContext, SessionScreen } from "../screen-context.ts";
import { showResult } from "../send.ts";
import { visibleWidth } from "../terminal/pi-tui.ts";
import { createChoicePanel } from "./choice.ts";
import { continueWith, finishWith, type Panel, type Viewport } from "./panel.ts";
import {
  editInput,
  emptyInput,
  type LineInput,
  type ListPosition,
  listStart,
  moveByKey,
  renderHints,
  renderInput,
} from "./widgets.ts";

/** Appends models with new names. Existing rows keep their positions, so that the user does not choose a row that has just moved. */
function mergeModels(rows: readonly AvailableModel[], newRows: readonly AvailableModel[]): readonly AvailableModel[] {
  const names = new Set(rows.map(({ name }) => name));
  return [...rows, ...newRows.filter(({ name }) => !names.has(name))];
}

export interface ModelPanelOptions {
  readonly rows: readonly AvailableModel[];
  /** As `provider/model`. */
  readonly currentModel: string;
  /** Finds more models while the panel is already open. */
  readonly loadMore: (signal: AbortSignal) => Promise<readonly AvailableModel[]>;
}

export interface ModelPanelState {
  readonly rows: readonly AvailableModel[];
  readonly query: LineInput;
  readonly position: ListPosition;
  /** Whether older generations are shown without a query. */
  readonly showsOlder: boolean;
}

export interface ModelChoice {
  readonly name: string;
  /** Whether to save the model as the default for new sessions. */
  readonly isDefault: boolean;
}

export function createModelPanel({
  rows,
  currentModel,
  loadMore,
}: ModelPanelOptions): Panel<ModelPanelState, ModelChoice> {
  return {
    initialState: { rows, query: emptyInput, position: listStart, showsOlder: false },
    loadUpdates: async (update, signal) => {
      const newRows = await loadMore(signal);
      update((state) => ({ ...state, rows: mergeModels(state.rows, newRows) }));
    },
    handleKey: (state, key) => {
      const matches = filterRows(state, currentModel);
      const row = key === "enter" || key === "ctrl+s" ? matches[state.position.index] : undefined;
      if (row) return finishWith({ name: row.name, isDefault: key === "ctrl+s" });
      const position = moveByKey(state.position, key, { count: matches.length, rows: MAX_VISIBLE_ROWS });
      if (position) return continueWith({ ...state, position });
      if (key === "tab") return continueWith({ ...state, showsOlder: !state.showsOlder, position: listStart });
      const query = editInput(state.query, key);
      return query ? continueWith({ ...state, query, position: listStart }) : null;
    },
    render: (state, viewport) => renderModelPanel(state, currentModel, viewport),
  };
}

const MAX_VISIBLE_ROWS = 10;

function filterRows({ rows, query, showsOlder }: ModelPanelState, currentModel: string): readonly AvailableModel[] {
  return filterModels(rows, { query: query.text, showsOlder, currentModel });
}

function renderModelPanel(state: ModelPanelState, currentModel: string, viewport: Viewport): readonly string[] {
  const { theme, width, height } = viewport;
  const { rows, query, position, showsOlder } = state;
  const matches = filterRows(state, currentModel);
  const visibleRows = Math.max(1, Math.min(MAX_VISIBLE_ROWS, height - 5));
  const visible = matches.slice(Math.max(position.top, position.index - visibleRows + 1)).slice(0, visibleRows);
  const maxNameWidth = Math.max(24, ...visible.map(({ name }) => visibleWidth(escapeControls(name))));
  // In a narrow terminal, only the names are shown.
  const isNarrow = width - 36 < 24;
  const nameWidth = Math.min(maxNameWidth, isNarrow ? Math.max(10, width - 4) : width - 36);
  const positionText = matches.length > visible.length ? theme.dim(`  ${position.index + 1} of ${matches.length}`) : "";
  const header = theme.dim(`   ${"".padEnd(nameWidth)}  ${"window".padStart(10)}  price per million, in / out`);
  const isSelected = (row: AvailableModel): boolean => row === matches[position.index];
  const lines = [
    theme.border("─".repeat(width)),
    `${theme.strong(" Choose a model")}${positionText}  ${theme.dim("filter:")} ${renderInput(query, theme)}`,
    ...(visible.length === 0
      ? [theme.dim(`   ${rows.length === 0 ? NO_MODELS_TEXT : NO_MATCH_TEXT}`)]
      : isNarrow
        ? []
        : [header]),
    ...visible.map((row) =>
      renderRow(
        row,
        { isSelected: isSelected(row), isCurrent: row.name === currentModel, isNarrow, nameWidth },
        viewport,
      ),
    ),
    renderHints(
      [
        "Enter select",
        ...(rows.some(({ isOlder }) => isOlder) ? [`Tab ${showsOlder ? "hide" : "show"} older`] : []),
        "Ctrl+S select and save as default",
        "Esc cancel",
      ],
      viewport,
    ),
  ];
  return lines.map((line) => fitLine(line, width));
}

const NO_MODELS_TEXT = "No API key or local server found. Use /model provider/model to name a model.";
const NO_MATCH_TEXT = "No matching models. Use /model provider/model for any other model.";

interface RowOptions {
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly isNarrow: boolean;
  readonly nameWidth: number;
}

function renderRow(
  row: AvailableModel,
  { isSelected, isCurrent, isNarrow, nameWidth }: RowOptions,
  { theme }: Viewport,
): string {
  const label = ` ${isSelected ? "❯" : " "} ${fitCell(escapeControls(row.name), nameWidth)}`;
  if (isNarrow) return isSelected ? theme.accent(label) : label;
  const details = `  ${formatWindow(row).padStart(10)}  ${formatPrice(row)}${isCurrent ? "  (current)" : ""}`;
  return `${isSelected ? theme.accent(label) : label}${theme.dim(details)}`;
}

export async function openModels(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "") return false;
  const { app, screen } = context;
  const { provider, model, contextWindow, maxTokens } = app.agent.model;
  const currentModel = `${provider}/${model}`;
  const rows = await listModelsWithKey(app);
  const facts = { contextWindow, maxTokens, input: ["text"], reasoning: false } as const;
  const currentRow: AvailableModel = { name: currentModel, facts: contextWindow > 0 ? facts : null, isLocal: false };
  const allRows = app.missingModel === null ? mergeModels(rows, [currentRow]) : rows;
  const choice = await screen.showPanel(createModelPanel({ rows: allRows, currentModel, loadMore: listLocalModels }), {
    where: "inline",
  });
  if (choice === null) return true;
  const isSwitched = choice.name === currentModel || (await switchModel(choice.name, context));
  if (choice.isDefault && isSwitched) await saveDefaultModel(choice.name, context);
  return true;
}

async function switchModel(name: string, context: InteractiveContext): Promise<boolean> {
  const result = await runCommand(`/model ${name}`, context.app);
  if (result) await showResult(result, context);
  return result?.type === "success";
}

async function saveDefaultModel(name: string, { app, screen }: SessionScreen<"home">): Promise<void> {
  const error = await saveSetting({ path: ["model"], value: name, home: app.home });
  screen.showNote(
    error === null ? `${name} is now the default model.` : error.message,
    error === null ? "plain" : "bad",
  );
}

export async function openThinking(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "") return false;
  const { screen, app } = context;
  const current = app.agent.thinkingLevel;
  const options = thinkingLevels.map((level) => ({
    label: level,
    ...(level === current && { description: "current" }),
    value: level,
  }));
  const names: readonly string[] = thinkingLevels;
  const initialIndex = Math.max(0, names.indexOf(current));
  const title = "Choose a thinking level";
  const level = await screen.showPanel(createChoicePanel({ title, options, initialIndex }), { where: "inline" });
  if (level === null || level === current) return true;
  const result = await runCommand(`/thinking ${level}`, app);
  if (result) await showResult(result, context);
  return true;
}
