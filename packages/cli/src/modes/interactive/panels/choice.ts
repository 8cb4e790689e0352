/** Defines the panels that choose one of a few or one of many options, and the side-by-side layout of a list and its preview. */

import { escapeControls } from "@pith/host/text/safe-text";
import { formatKey } from "../../../settings/keymap.ts";
import { fitCell, fitLine } from "../render/text.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { continueWith, finishWith, type Panel, type Viewport } from "./panel.ts";
import {
  editInput,
  emptyInput,
  type LineInput,
  type ListPosition,
  listStart,
  moveByKey,
  moveTo,
  renderHints,
  renderInput,
} from "./widgets.ts";

export interface ChoicePanelOptions<Value> {
  readonly title: string;
  /** Styled lines between the title and the options. The panel wraps them. */
  readonly body?: (viewport: Viewport) => readonly string[];
  readonly options: readonly Option<Value>[];
  /** Default: 0. */
  readonly initialIndex?: number;
}

export interface Option<Value> {
  /** The key that chooses the option immediately, e.g. `y`. */
  readonly key?: string;
  readonly label: string;
  readonly description?: string;
  readonly value: Value;
  /** ASK3: the option grants something that lasts or lets other code run, so its key only selects it, and Enter chooses it. */
  readonly isLasting?: true;
}

/** Returns the option that a key chooses or selects. Null if the key belongs to no option. */
export function matchOption<Value>(
  options: readonly Option<Value>[],
  key: string,
  selectedIndex: number,
): OptionMatch<Value> {
  const index = key === "enter" ? selectedIndex : options.findIndex((option) => option.key === key);
  const option = options[index];
  if (!option) return null;
  return option.isLasting && key !== "enter" ? { type: "select", index } : { type: "choose", option };
}

export type OptionMatch<Value> =
  | { readonly type: "choose"; readonly option: Option<Value> }
  | { readonly type: "select"; readonly index: number }
  | null;

export function createChoicePanel<Value>({
  title,
  body,
  options,
  initialIndex = 0,
}: ChoicePanelOptions<Value>): Panel<ListPosition, Value> {
  const size = { count: options.length, rows: options.length };
  return {
    initialState: { ...listStart, index: initialIndex },
    plainQuestion: { title, lines: (viewport) => body?.(viewport) ?? [], options },
    handleKey: (position, key) => {
      const match = matchOption(options, key, position.index);
      if (match?.type === "choose") return finishWith(match.option.value);
      if (match) return continueWith(moveTo(position, match.index, size));
      const nextPosition = moveByKey(position, key, size);
      return nextPosition ? continueWith(nextPosition) : null;
    },
    render: (position, viewport) => {
      const optionRows = options.map((option, row) => renderOption(option, row === position.index, viewport));
      const head = [
        viewport.theme.border("─".repeat(viewport.width)),
        viewport.theme.strong(` ${escapeControls(title)}`),
      ];
      const maxBodyRows = Math.max(0, viewport.height - head.length - optionRows.length);
      const bodyRows = (body?.(viewport) ?? [])
        .flatMap((line) => wrapIndented(line, viewport.width))
        .slice(0, maxBodyRows);
      return [...head, ...bodyRows, ...optionRows];
    },
  };
}

/** Indents the wrapped rows by one column. */
function wrapIndented(line: string, width: number): readonly string[] {
  return wrapTextWithAnsi(line, Math.max(1, width - 1)).map((row, index) => (index === 0 ? row : ` ${row}`));
}

function renderOption<Value>(option: Option<Value>, isSelected: boolean, viewport: Viewport): string {
  const { width, theme } = viewport;
  const { label, description = "" } = option;
  const keyText = viewport.isTyping ? "" : theme.dim(formatOptionKey(option));
  const text = ` ${isSelected ? "❯" : " "} ${escapeControls(label)}`;
  const line = `${isSelected ? theme.accent(text) : text}${keyText}${description === "" ? "" : theme.dim(`  ${escapeControls(description)}`)}`;
  return truncateToWidth(line, width, "…");
}

/** Returns ` (y)`, or ` (y then Enter)` if the key only selects the option. */
export function formatOptionKey<Value>({ key, isLasting }: Option<Value>): string {
  if (key === undefined) return "";
  return isLasting ? ` (${key} then Enter)` : ` (${key})`;
}

export interface PickPanelOptions<Value> {
  readonly title: string;
  readonly rows: readonly PickRow<Value>[];
  /** Keys besides Enter that choose a row, with their hints. */
  readonly extraKeys?: Readonly<Record<string, string>>;
  /** The hint for closing the panel without a choice. Default: `Esc skip`. */
  readonly leaveHint?: string;
}

export interface PickRow<Value> {
  readonly label: string;
  readonly description: string;
  readonly value: Value;
}

export interface PickResult<Value> {
  readonly value: Value;
  /** The key that chose the row: `enter` or one of `extraKeys`. */
  readonly key: string;
}

export interface PickState {
  readonly query: LineInput;
  readonly position: ListPosition;
}

export function createPickPanel<Value>(options: PickPanelOptions<Value>): Panel<PickState, PickResult<Value>> {
  const { title, rows, extraKeys = {} } = options;
  return {
    initialState: { query: emptyInput, position: listStart },
    plainQuestion: {
      title,
      lines: () => [],
      options: rows.map(({ value, ...row }) => ({ ...row, value: { value, key: "enter" } })),
    },
    handleKey: ({ query, position }, key) => {
      const matches = filterRows(rows, query.text);
      const row = key === "enter" || Object.hasOwn(extraKeys, key) ? matches[position.index] : undefined;
      if (row) return finishWith({ value: row.value, key });
      const nextPosition = moveByKey(position, key, { count: matches.length, rows: MAX_VISIBLE_ROWS });
      if (nextPosition) return continueWith({ query, position: nextPosition });
      const nextQuery = editInput(query, key);
      return nextQuery ? continueWith({ query: nextQuery, position: listStart }) : null;
    },
    render: (state, viewport) => renderPickPanel(options, state, viewport),
  };
}

const MAX_VISIBLE_ROWS = 8;

function filterRows<Value>(rows: readonly PickRow<Value>[], query: string): readonly PickRow<Value>[] {
  const queryWords = query.toLowerCase().split(/\s+/);
  return rows.filter(({ label, description }) =>
    queryWords.every((word) => `${label} ${description}`.toLowerCase().includes(word)),
  );
}

function renderPickPanel<Value>(
  { title, rows, extraKeys = {}, leaveHint = "Esc skip" }: PickPanelOptions<Value>,
  { query, position }: PickState,
  viewport: Viewport,
): string[] {
  const { width, theme } = viewport;
  const matches = filterRows(rows, query.text);
  const visible = matches.slice(
    position.top,
    position.top + Math.max(1, Math.min(MAX_VISIBLE_ROWS, viewport.height - 4)),
  );
  const column = Math.min(44, Math.max(...rows.map(({ label }) => visibleWidth(escapeControls(label)))));
  const hints = [
    "type to filter",
    "Enter select",
    ...Object.entries(extraKeys).map(([key, action]) => `${formatKey(key)} ${action}`),
    leaveHint,
  ];
  const positionText = matches.length > visible.length ? theme.dim(`  ${position.index + 1} of ${matches.length}`) : "";
  return [
    theme.border("─".repeat(width)),
    `${theme.strong(` ${escapeControls(title)}`)}${positionText}`,
    ...(query.text === "" ? [] : [` ${theme.dim("filter:")} ${renderInput(query, theme)}`]),
    ...(matches.length === 0 ? [theme.dim("   No matches.")] : []),
    ...visible.map((row, index) =>
      renderRow(row, { isSelected: position.top + index === position.index, column, viewport }),
    ),
    viewport.isTyping ? "" : renderHints(hints, viewport),
  ].map((line) => fitLine(line, width));
}

interface RowOptions {
  readonly isSelected: boolean;
  readonly column: number;
  readonly viewport: Viewport;
}

function renderRow<Value>(
  { label, description }: PickRow<Value>,
  { isSelected, column, viewport: { theme } }: RowOptions,
): string {
  const text = ` ${isSelected ? "❯" : " "} ${fitCell(escapeControls(label), column)}`;
  return `${isSelected ? theme.accent(text) : text}  ${theme.dim(escapeControls(description))}`;
}

export interface ColumnWidths {
  readonly list: number;
  readonly preview: number;
}

/** Returns the widths of a list and its preview, with a border between them. Null if the terminal is too narrow for both. */
export function splitColumns(width: number): ColumnWidths | null {
  if (width < MIN_SPLIT_WIDTH) return null;
  const list = Math.floor(width * LIST_SHARE);
  return { list, preview: width - list - GAP_COLUMNS };
}

const MIN_SPLIT_WIDTH = 110;
const LIST_SHARE = 0.6;
const GAP_COLUMNS = 3;
