/** Implements `/model`, a searchable list of the models that keys and local servers offer, and `/thinking`. */

import { runCommand } from "../../../commands/run-command.ts";
import { levels } from "../../../commands/settings.ts";
import { type ModelRow, modelsHere, modelsWithKey } from "../../../models/available-models.ts";
import { saveSetting } from "../../../settings/save.ts";
import { amount } from "../../../text/format.ts";
import { plain } from "../../../text/safe-text.ts";
import { cell, fitted } from "../render/text.ts";
import type { Talking } from "../screen-context.ts";
import { show } from "../send.ts";
import { visibleWidth } from "../terminal/pi-tui.ts";
import { choice } from "./choice.ts";
import { answered, goesOn, type Panel, type Sight } from "./panel.ts";
import { atTop, drawLine, emptyLine, hintLine, type LineInput, typedInto, type Walk, walked } from "./widgets.ts";

/** Those in whose name every word stands; who speaks now is first. */
export function rowsFor(rows: readonly ModelRow[], wanted: string, speaking: string): readonly ModelRow[] {
  const words = wanted.toLowerCase().split(/\s+/);
  const fitting = rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return fitting.toSorted((one, other) => Number(other.name === speaking) - Number(one.name === speaking));
}

/** Without doubles: the first of each name counts. Those there are keep their places, so that nobody takes another than they see. */
export function joined(rows: readonly ModelRow[], more: readonly ModelRow[]): readonly ModelRow[] {
  const names = new Set(rows.map(({ name }) => name));
  return [...rows, ...more.filter(({ name }) => !names.has(name))];
}

/** Tokens it sees at once. */
export function windowTold({ facts }: ModelRow): string {
  return facts ? amount(facts.contextWindow) : "?";
}

/** For a million tokens, in and out. */
export function priceTold({ facts, isLocal }: ModelRow): string {
  if (isLocal) return "free, here";
  const prices = facts?.prices;
  return prices ? `$${dollars(prices.input)} / $${dollars(prices.output)}` : "?";
}

function dollars(price: number): string {
  return price >= 100 ? price.toFixed(0) : String(Number(price.toFixed(2)));
}

export interface ModelList {
  readonly rows: readonly ModelRow[];
  /** Who speaks now, as `provider/model`. */
  readonly speaking: string;
  /** More that are found while somebody looks already. */
  readonly more: (signal: AbortSignal) => Promise<readonly ModelRow[]>;
}

export interface ModelState {
  readonly rows: readonly ModelRow[];
  readonly typed: LineInput;
  readonly walk: Walk;
}

/** `isForGood`: also in sessions that begin later. */
export interface ChosenName {
  readonly name: string;
  readonly isForGood: boolean;
}

export function modelPanel({ rows, speaking, more }: ModelList): Panel<ModelState, ChosenName> {
  return {
    start: { rows, typed: emptyLine, walk: atTop },
    learns: async (learn, signal) => {
      const found = await more(signal);
      learn((state) => ({ ...state, rows: joined(state.rows, found) }));
    },
    press: (state, key) => {
      const fitting = rowsFor(state.rows, state.typed.text, speaking);
      const taken = key === "enter" || key === "ctrl+s" ? fitting[state.walk.at] : undefined;
      if (taken) return answered({ name: taken.name, isForGood: key === "ctrl+s" });
      const walk = walked(state.walk, key, { count: fitting.length, rows: ROWS });
      if (walk) return goesOn({ ...state, walk });
      const typed = typedInto(state.typed, key);
      return typed ? goesOn({ ...state, typed, walk: atTop }) : null;
    },
    draw: (state, sight) => drawn(state, speaking, sight),
  };
}

/** Seen at once. */
const ROWS = 10;

function drawn({ rows, typed, walk }: ModelState, speaking: string, sight: Sight): readonly string[] {
  const { theme, width, height } = sight;
  const fitting = rowsFor(rows, typed.text, speaking);
  const room = Math.max(1, Math.min(ROWS, height - 5));
  const seen = fitting.slice(Math.max(walk.top, walk.at - room + 1)).slice(0, room);
  const longest = Math.max(24, ...seen.map(({ name }) => visibleWidth(plain(name))));
  // Where there is no room for both, the name matters more than what it costs.
  const isNarrow = width - 36 < 24;
  const column = Math.min(longest, isNarrow ? Math.max(10, width - 4) : width - 36);
  const place = fitting.length > seen.length ? theme.dim(`  ${walk.at + 1} of ${fitting.length}`) : "";
  const titles = theme.dim(`   ${"".padEnd(column)}  ${"window".padStart(10)}  price per million, in / out`);
  const marked = (row: ModelRow): boolean => row === fitting[walk.at];
  const lines = [
    theme.border("─".repeat(width)),
    `${theme.strong(" Who shall speak?")}${place}  ${theme.dim("search:")} ${drawLine(typed, theme)}`,
    ...(seen.length === 0 ? [theme.dim(`   ${rows.length === 0 ? NONE : UNFOUND}`)] : isNarrow ? [] : [titles]),
    ...seen.map((row) =>
      rowLine(row, { isChosen: marked(row), isSpeaking: row.name === speaking, isNarrow, column }, sight),
    ),
    hintLine(["Enter takes it", "Ctrl+S also from now on", "Esc leaves it as it is"], sight),
  ];
  return lines.map((line) => fitted(line, width));
}

const NONE = "no key is set, and no server answers here; /model provider/model names one";
const UNFOUND = "no model has this in its name; /model provider/model takes any";

interface Mark {
  readonly isChosen: boolean;
  readonly isSpeaking: boolean;
  readonly isNarrow: boolean;
  readonly column: number;
}

function rowLine(row: ModelRow, { isChosen, isSpeaking, isNarrow, column }: Mark, { theme }: Sight): string {
  const words = ` ${isChosen ? "❯" : " "} ${cell(plain(row.name), column)}`;
  if (isNarrow) return isChosen ? theme.accent(words) : words;
  const facts = `  ${windowTold(row).padStart(10)}  ${priceTold(row)}${isSpeaking ? "  (speaks now)" : ""}`;
  return `${isChosen ? theme.accent(words) : words}${theme.dim(facts)}`;
}

export async function openModels(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { ready, screen, desk } = talking;
  const { provider, model, contextWindow, maxTokens } = desk.agent.model;
  const speaking = `${provider}/${model}`;
  const rows = await modelsWithKey(ready.place);
  const facts = { contextWindow, maxTokens, input: ["text"], reasoning: false } as const;
  const own: ModelRow = { name: speaking, facts: contextWindow > 0 ? facts : null, isLocal: false };
  const known = ready.built.missing === null ? joined(rows, [own]) : rows;
  const chosen = await screen.ask(modelPanel({ rows: known, speaking, more: modelsHere }), { where: "inline" });
  if (chosen === null) return true;
  const isTaken = chosen.name === speaking || (await taken(chosen.name, talking));
  if (chosen.isForGood && isTaken) await keep(chosen.name, talking);
  return true;
}

async function taken(name: string, talking: Talking): Promise<boolean> {
  const answer = await runCommand(`/model ${name}`, talking.desk);
  if (answer) await show(answer, talking);
  return answer?.type === "told";
}

/** For sessions that begin later. */
async function keep(name: string, { ready, screen }: Talking): Promise<void> {
  const fault = await saveSetting({ path: ["model"], value: name, home: ready.place.home });
  screen.tell(
    fault === null ? `${name} is kept for sessions to come` : fault.message,
    fault === null ? "plain" : "bad",
  );
}

export async function openThinking(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { screen, desk } = talking;
  const now = desk.agent.thinkingLevel;
  const options = levels.map((level) => ({ label: level, ...(level === now && { says: "now" }), value: level }));
  const names: readonly string[] = levels;
  const at = Math.max(0, names.indexOf(now));
  const title = "How long shall the model think before it answers?";
  const level = await screen.ask(choice({ title, options, at }), { where: "inline" });
  if (level === null || level === now) return true;
  const answer = await runCommand(`/thinking ${level}`, desk);
  if (answer) await show(answer, talking);
  return true;
}
