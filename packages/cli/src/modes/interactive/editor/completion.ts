/** Completes commands at the beginning of a message, their arguments, and paths after an @. */

import type { WorkspaceSearch } from "@pith/agent";
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

/** Higher is better: letters in order, near each other and late in the path. Null where the letters are not all there. */
export function scorePath(path: string, query: string): number | null {
  if (query === "") return -path.length / 100;
  const nameStart = path.lastIndexOf("/", path.length - 2) + 1;
  const matchIndex = path.lastIndexOf(query);
  // A folder is meant less often than a file in one like it.
  const penalty = path.length + (path.endsWith("/") ? 60 : 0);
  if (matchIndex >= 0)
    return 1_000 + (matchIndex >= nameStart ? 500 : 0) + (isWordStart(path, matchIndex) ? 200 : 0) - penalty;
  return scoreScattered(path, query, nameStart);
}

function scoreScattered(path: string, query: string, nameStart: number): number | null {
  // In the name alone where that has them all, so that `ts` means no folder far above.
  const start = hasLettersInOrder(path, query, nameStart) ? nameStart : 0;
  let score = start === nameStart ? 300 : 0;
  let lastIndex = start - 1;
  for (const character of query) {
    const index = path.indexOf(character, lastIndex + 1);
    if (index < 0) return null;
    score += index === lastIndex + 1 ? 20 : 0;
    score += isWordStart(path, index) ? 15 : 0;
    score -= Math.min(10, index - lastIndex - 1);
    lastIndex = index;
  }
  return score - path.length / 10;
}

function hasLettersInOrder(path: string, query: string, from: number): boolean {
  let index = from - 1;
  for (const character of query) {
    index = path.indexOf(character, index + 1);
    if (index < 0) return false;
  }
  return true;
}

function isWordStart(path: string, index: number): boolean {
  return index === 0 || "/-_. ".includes(path[index - 1] ?? "");
}

/** No more are listed; whoever has more writes more of the path. */
export const MAX_FILES = 100_000;

const MAX_MATCHES = 50;

/** So many are looked at before keys are heard again. */
const CHUNK_SIZE = 2_000;

const MAX_AGE_MS = 10_000;

const LIST_TIMEOUT_MS = 20_000;

const RETRY_DELAY_MS = 600_000;

interface IndexedPath {
  readonly path: string;
  /** The same in small letters, to be searched. */
  readonly lowerCase: string;
}

export class FileList {
  readonly #openSearch: () => Promise<Pick<WorkspaceSearch, "find">>;
  readonly #now: () => number;
  #paths: readonly IndexedPath[] = [];
  #pendingRefresh: Promise<void> | null = null;
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(openSearch: () => Promise<Pick<WorkspaceSearch, "find">>, now: () => number = () => performance.now()) {
    this.#openSearch = openSearch;
    this.#now = now;
  }

  /** The best first. What is known already answers at once; it is listed anew when it is old. */
  async find(query: string, signal: AbortSignal): Promise<readonly string[]> {
    const pendingRefresh = this.refresh();
    // Who has typed on waits for nothing.
    if (this.#paths.length === 0) await Promise.race([pendingRefresh, waitForAbort(signal)]);
    return await findBestMatches(this.#paths, query.toLowerCase(), signal);
  }

  /** Lists in the background, unless that was done a moment ago. */
  refresh(): Promise<void> {
    if (this.#now() - this.#listedAt > MAX_AGE_MS)
      this.#pendingRefresh ??= this.#rebuild().finally(() => (this.#pendingRefresh = null));
    return this.#pendingRefresh ?? Promise.resolve();
  }

  async #rebuild(): Promise<void> {
    const files = await this.#findFiles();
    const folders = new Set<string>();
    const paths: IndexedPath[] = [];
    for (const [index, path] of (files ?? []).entries()) {
      if (index % CHUNK_SIZE === CHUNK_SIZE - 1) await yieldToEventLoop();
      paths.push({ path, lowerCase: path.toLowerCase() });
      for (const folder of collectNewFolders(path, folders))
        paths.push({ path: folder, lowerCase: folder.toLowerCase() });
    }
    if (files) this.#paths = paths;
    this.#listedAt = this.#now() + (files ? 0 : RETRY_DELAY_MS);
  }

  /** Null where there are so many that it takes too long, as in a home folder. */
  async #findFiles(): Promise<readonly string[] | null> {
    const search = await this.#openSearch();
    const options = { signal: AbortSignal.timeout(LIST_TIMEOUT_MS), maxResults: MAX_FILES };
    const result = await search.find({ folder: ".", glob: "**", isUnordered: true }, options).catch(() => null);
    return result?.type === "found" ? result.items : null;
  }
}

/** Those above it that are not known yet; they are then. */
function collectNewFolders(path: string, known: Set<string>): readonly string[] {
  const newFolders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end + 1);
    if (known.has(folder)) break;
    known.add(folder);
    newFolders.push(folder);
  }
  return newFolders;
}

async function findBestMatches(
  paths: readonly IndexedPath[],
  query: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let matches: { readonly path: string; readonly score: number }[] = [];
  for (let start = 0; start < paths.length; start += CHUNK_SIZE) {
    if (start > 0) await yieldToEventLoop();
    if (signal.aborted) return [];
    for (const { path, lowerCase } of paths.slice(start, start + CHUNK_SIZE)) {
      const score = scorePath(lowerCase, query);
      if (score !== null) matches.push({ path, score });
    }
    matches = matches.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, MAX_MATCHES);
  }
  return matches.map(({ path }) => path);
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The folder of a path that begins with `~/`, `/`, `./` or `../`; null where the workspace's own files are meant. */
export function parseOutsideFolder(path: string): string | null {
  if (!/^(?:~\/|\/|\.\.?\/)/.test(path)) return null;
  return path.slice(0, path.lastIndexOf("/") + 1);
}

export async function listMatchingNames(
  folder: string,
  path: string,
  { search, signal }: { readonly search: Pick<WorkspaceSearch, "list">; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const result = await search.list(folder, { signal, maxResults: MAX_NAMES });
  if (result.type !== "found") return [];
  const prefix = path.slice(folder.length).toLowerCase();
  const names = result.items.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(prefix));
  return names.filter((name) => prefix.startsWith(".") || !name.startsWith(".")).map((name) => `${folder}${name}`);
}

const MAX_NAMES = 1_000;
