/** Completes commands at the beginning of a message, their arguments, and paths after an @. */

import type { Desk } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import { plain } from "../../../text/safe-text.ts";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "../terminal/pi-tui.ts";

/** Something that can be taken. */
export interface Candidate {
  /** What is written in the end. */
  readonly value: string;
  readonly says?: string;
}

export interface CompletionSources {
  readonly commands: () => Promise<readonly Candidate[]>;
  /** Null where a command takes no closed set. */
  readonly argumentsOf: (command: string) => Promise<readonly Candidate[] | null>;
  /** The best first. */
  readonly paths: (wanted: string, signal: AbortSignal) => Promise<readonly Candidate[]>;
}

type Items = AutocompleteSuggestions | null;

export function completion(sources: CompletionSources): AutocompleteProvider {
  return {
    getSuggestions: (lines, line, column, { signal }) => suggested(lines, { line, column, signal }, sources),
    applyCompletion: (lines, line, column, { value }, prefix) => {
      const text = lines[line] ?? "";
      const before = text.slice(0, column - prefix.length);
      const behind = text.slice(column);
      const blank = value.endsWith("/") || value.endsWith('/"') || behind.startsWith(" ") ? "" : " ";
      const all = lines.map((each, at) => (at === line ? `${before}${value}${blank}${behind}` : each));
      return { lines: all, cursorLine: line, cursorCol: before.length + value.length + blank.length };
    },
  };
}

interface Spot {
  readonly line: number;
  readonly column: number;
  readonly signal: AbortSignal;
}

async function suggested(
  lines: readonly string[],
  { line, column, signal }: Spot,
  sources: CompletionSources,
): Promise<Items> {
  const before = (lines[line] ?? "").slice(0, column);
  const named = /(?:^|[\s(])(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (named !== undefined) return paths(named, sources, signal);
  if (line > 0) return null;
  if (/^\/[^\s/]*$/.test(before)) return begun(before, await sources.commands());
  const [, command, words = ""] = /^\/(\S+)\s+(\S*)$/.exec(before) ?? [];
  const known = command === undefined ? null : await sources.argumentsOf(command);
  return known && begun(words, known);
}

async function paths(named: string, sources: CompletionSources, signal: AbortSignal): Promise<Items> {
  const found = await sources.paths(named.replace(/^@"?/, ""), signal);
  return items(
    named,
    // A path with a quote in it could not be read back out of the words.
    found
      .filter(({ value }) => !value.includes('"'))
      .map((each) => ({ ...each, value: /\s/.test(each.value) ? `@"${each.value}"` : `@${each.value}` })),
  );
}

/** Those that begin so, then those that have it somewhere in them. */
function begun(written: string, all: readonly Candidate[]): Items {
  const wanted = written.toLowerCase();
  const first = all.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const inner = wanted.replace(/^\//, "");
  const more = all.filter(
    (each) => !first.includes(each) && inner.length > 1 && each.value.toLowerCase().includes(inner),
  );
  return items(written, [...first, ...more]);
}

function items(prefix: string, candidates: readonly Candidate[]): Items {
  const shown = candidates.flatMap(({ value, says = "" }): AutocompleteItem[] => {
    // What cannot be seen as it is cannot be chosen, either.
    if (plain(value) !== value || value.includes("\n")) return [];
    return [{ value, label: value, ...(says !== "" && { description: plain(says).replaceAll(/\s+/g, " ") }) }];
  });
  // Where all is written already, Enter says it. A command's row stays: it tells what the command does, and Enter says that, too.
  const isWritten = !prefix.startsWith("/") && shown[0]?.value === prefix;
  return shown.length === 0 || isWritten ? null : { items: shown, prefix };
}

export interface WordSources {
  readonly desk: Desk;
  /** Who can be asked from here. */
  readonly models: () => Promise<readonly string[]>;
}

/** The arguments of a command; null where they are no closed set. */
export async function argumentWords(name: string, { desk, models }: WordSources): Promise<readonly Candidate[] | null> {
  const command = commands.find((each) => each.name === name || each.aliases?.includes(name));
  switch (command?.name) {
    case undefined:
      return null;
    case "help":
      return commands.map((each) => ({ value: each.name, says: each.says }));
    case "thinking":
      return ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map((value) => ({ value }));
    case "model":
      return (await models()).map((value) => ({ value }));
    case "tree":
      return labelsIn(desk);
    case "unpin":
      return desk.agent.session.branch.state.pins.map(({ text }, at) => ({ value: `${at + 1}`, says: text }));
    case "settings":
      return (desk.settings?.() ?? []).map((each) => ({ value: each.name }));
    default:
      return inBrackets(command?.takes ?? "");
  }
}

async function labelsIn({ agent }: Desk): Promise<readonly Candidate[]> {
  const labels = [...(await agent.session.store.labels()).values()];
  return labels.filter((label) => !/\s/.test(label)).map((value) => ({ value, says: "a label" }));
}

/** `[on|off]` names them itself. */
function inBrackets(takes: string): readonly Candidate[] | null {
  const inner = /^[[<]([\w-]+(?:\|[\w-]+)+)[\]>]$/.exec(takes)?.[1];
  return inner?.split("|").map((value) => ({ value })) ?? null;
}
