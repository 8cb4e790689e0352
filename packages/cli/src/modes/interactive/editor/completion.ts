/** Completes commands at the beginning of a message, their arguments, and paths after an @. */

import type { CommandContext } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "../terminal/pi-tui.ts";

/** Something that can be taken. */
export interface Candidate {
  /** What is written in the end. */
  readonly value: string;
  readonly description?: string;
}

export interface CompletionSources {
  readonly listCommands: () => Promise<readonly Candidate[]>;
  /** Null where a command takes no closed set. */
  readonly listArguments: (command: string) => Promise<readonly Candidate[] | null>;
  /** The best first. */
  readonly findPaths: (wanted: string, signal: AbortSignal) => Promise<readonly Candidate[]>;
}

type Suggestions = AutocompleteSuggestions | null;

export function createCompletionProvider(sources: CompletionSources): AutocompleteProvider {
  return {
    getSuggestions: (lines, line, column, { signal }) => suggest(lines, { line, column, signal }, sources),
    applyCompletion: (lines, line, column, { value }, prefix) => {
      const text = lines[line] ?? "";
      const before = text.slice(0, column - prefix.length);
      const after = text.slice(column);
      const space = value.endsWith("/") || value.endsWith('/"') || after.startsWith(" ") ? "" : " ";
      const newLines = lines.map((lineText, index) =>
        index === line ? `${before}${value}${space}${after}` : lineText,
      );
      return { lines: newLines, cursorLine: line, cursorCol: before.length + value.length + space.length };
    },
  };
}

interface CursorPosition {
  readonly line: number;
  readonly column: number;
  readonly signal: AbortSignal;
}

async function suggest(
  lines: readonly string[],
  { line, column, signal }: CursorPosition,
  sources: CompletionSources,
): Promise<Suggestions> {
  const before = (lines[line] ?? "").slice(0, column);
  const mention = /(?:^|[\s(])(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (mention !== undefined) return suggestPaths(mention, sources, signal);
  if (line > 0) return null;
  if (/^\/[^\s/]*$/.test(before)) return matchCandidates(before, await sources.listCommands());
  const [, command, argument = ""] = /^\/(\S+)\s+(\S*)$/.exec(before) ?? [];
  const candidates = command === undefined ? null : await sources.listArguments(command);
  return candidates && matchCandidates(argument, candidates);
}

async function suggestPaths(mention: string, sources: CompletionSources, signal: AbortSignal): Promise<Suggestions> {
  const found = await sources.findPaths(mention.replace(/^@"?/, ""), signal);
  return toSuggestions(
    mention,
    // A path with a quote in it could not be read back out of the words.
    found
      .filter(({ value }) => !value.includes('"'))
      .map((candidate) => ({
        ...candidate,
        value: /\s/.test(candidate.value) ? `@"${candidate.value}"` : `@${candidate.value}`,
      })),
  );
}

/** Those that begin so, then those that have it somewhere in them. */
function matchCandidates(typed: string, candidates: readonly Candidate[]): Suggestions {
  const query = typed.toLowerCase();
  const prefixMatches = candidates.filter(({ value }) => value.toLowerCase().startsWith(query));
  const bareQuery = query.replace(/^\//, "");
  const innerMatches = candidates.filter(
    (candidate) =>
      !prefixMatches.includes(candidate) && bareQuery.length > 1 && candidate.value.toLowerCase().includes(bareQuery),
  );
  return toSuggestions(typed, [...prefixMatches, ...innerMatches]);
}

function toSuggestions(prefix: string, candidates: readonly Candidate[]): Suggestions {
  const visibleItems = candidates.flatMap(({ value, description = "" }): AutocompleteItem[] => {
    // What cannot be seen as it is cannot be chosen, either.
    if (escapeControls(value) !== value || value.includes("\n")) return [];
    return [
      {
        value,
        label: value,
        ...(description !== "" && { description: escapeControls(description).replaceAll(/\s+/g, " ") }),
      },
    ];
  });
  // Where all is written already, Enter says it. A command's row stays: it tells what the command does, and Enter says that, too.
  const isComplete = !prefix.startsWith("/") && visibleItems[0]?.value === prefix;
  return visibleItems.length === 0 || isComplete ? null : { items: visibleItems, prefix };
}

export interface ArgumentSources {
  readonly context: CommandContext;
  /** Who can be asked from here. */
  readonly listModels: () => Promise<readonly string[]>;
}

/** The arguments of a command; null where they are no closed set. */
export async function listArgumentCandidates(
  name: string,
  { context, listModels }: ArgumentSources,
): Promise<readonly Candidate[] | null> {
  const command = commands.find((item) => item.name === name || item.aliases?.includes(name));
  switch (command?.name) {
    case undefined:
      return null;
    case "help":
      return commands.map((item) => ({ value: item.name, description: item.description }));
    case "thinking":
      return ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map((value) => ({ value }));
    case "model":
      return (await listModels()).map((value) => ({ value }));
    case "tree":
      return listLabels(context);
    case "unpin":
      return context.agent.session.branch.state.pins.map(({ text }, index) => ({
        value: `${index + 1}`,
        description: text,
      }));
    case "settings":
      return (context.listSettings?.() ?? []).map((item) => ({ value: item.name }));
    default:
      return parseArgumentHint(command?.argumentHint ?? "");
  }
}

async function listLabels({ agent }: CommandContext): Promise<readonly Candidate[]> {
  const labels = [...(await agent.session.store.labels()).values()];
  return labels.filter((label) => !/\s/.test(label)).map((value) => ({ value, description: "a label" }));
}

/** `[on|off]` names them itself. */
function parseArgumentHint(argumentHint: string): readonly Candidate[] | null {
  const alternatives = /^[[<]([\w-]+(?:\|[\w-]+)+)[\]>]$/.exec(argumentHint)?.[1];
  return alternatives?.split("|").map((value) => ({ value })) ?? null;
}
