/** Completes commands at the beginning of a message, their arguments, and paths after an @. */

import type { WorkspaceSearch } from "@pith/agent";
import { escapeControls } from "@pith/host/text/safe-text";
import type { CommandContext } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "../terminal/pi-tui.ts";
import { type CompletionTarget, findCompletionTarget } from "./editor.ts";

export interface Candidate {
  /** The text to insert. */
  readonly value: string;
  readonly description?: string;
}

export interface CompletionSources {
  readonly listCommands: () => Promise<readonly Candidate[]>;
  /** Resolves with null if the command has no fixed set of arguments. */
  readonly listArguments: (command: string) => Promise<readonly Candidate[] | null>;
  /** Returns the best match first. */
  readonly findPaths: (query: string, signal: AbortSignal) => Promise<readonly Candidate[]>;
}

type Suggestions = AutocompleteSuggestions | null;

export function createCompletionProvider(sources: CompletionSources): AutocompleteProvider {
  return {
    getSuggestions: (lines, line, col, { signal }) =>
      suggest(findCompletionTarget(lines, { line, col }), sources, signal),
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

async function suggest(
  target: CompletionTarget | null,
  sources: CompletionSources,
  signal: AbortSignal,
): Promise<Suggestions> {
  switch (target?.kind) {
    case undefined:
      return null;
    case "path":
      return suggestPaths(target.prefix, sources, signal);
    case "command":
      return matchCandidates(target.prefix, await sources.listCommands());
    case "argument":
      return suggestArguments(target.prefix, await sources.listArguments(target.command));
  }
}

function suggestArguments(argument: string, candidates: readonly Candidate[] | null): Suggestions {
  // An option is offered after its dash.
  const isOffered = ({ value }: Candidate): boolean => argument.startsWith("-") || !value.startsWith("-");
  return candidates && matchCandidates(argument, candidates.filter(isOffered));
}

async function suggestPaths(mention: string, sources: CompletionSources, signal: AbortSignal): Promise<Suggestions> {
  const candidates = await sources.findPaths(mention.replace(/^@"?/, ""), signal);
  return toSuggestions(
    mention,
    // A path that contains a quote could not be parsed as a mention.
    candidates
      .filter(({ value }) => !value.includes('"'))
      .map((candidate) => ({
        ...candidate,
        value: /\s/.test(candidate.value) ? `@"${candidate.value}"` : `@${candidate.value}`,
      })),
  );
}

/** Returns the candidates that start with the text, then those that contain it. */
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
    // A value that cannot be displayed exactly must not be selectable.
    if (escapeControls(value) !== value || value.includes("\n")) return [];
    return [
      {
        value,
        label: value,
        ...(description !== "" && { description: escapeControls(description).replaceAll(/\s+/g, " ") }),
      },
    ];
  });
  // If the text is already complete, the list closes and Enter sends it. A command stays listed to show its description; Enter sends it too.
  const isComplete = !prefix.startsWith("/") && visibleItems[0]?.value === prefix;
  return visibleItems.length === 0 || isComplete ? null : { items: visibleItems, prefix };
}

export interface ArgumentSources {
  readonly context: CommandContext;
  /** Lists the models that can be used. */
  readonly listModels: () => Promise<readonly string[]>;
}

/** Lists the arguments of a command. Null if they are not a fixed set. */
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
      return command?.argumentValues?.map((value) => ({ value })) ?? null;
  }
}

async function listLabels({ agent }: CommandContext): Promise<readonly Candidate[]> {
  const labels = [...(await agent.session.store.labels()).values()];
  return labels.filter((label) => !/\s/.test(label)).map((value) => ({ value, description: "label" }));
}

/** Higher is better: letters in order, close together and late in the path. Null if the path does not contain all letters. */
export function scorePath(path: string, query: string): number | null {
  if (query === "") return -path.length / 100;
  const nameStart = path.lastIndexOf("/", path.length - 2) + 1;
  const matchIndex = path.lastIndexOf(query);
  // A folder is a less likely target than a file with a similar path.
  const penalty = path.length + (path.endsWith("/") ? 60 : 0);
  if (matchIndex >= 0)
    return 1_000 + (matchIndex >= nameStart ? 500 : 0) + (isWordStart(path, matchIndex) ? 200 : 0) - penalty;
  return scoreScattered(path, query, nameStart);
}

function scoreScattered(path: string, query: string, nameStart: number): number | null {
  // If the file name contains all letters, only the name is matched, so that `ts` does not match a distant folder.
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

/** At most this many files are listed. The path of any other file has to be typed. */
const MAX_FILES = 100_000;

const MAX_MATCHES = 50;

/** The number of paths to process before the event loop handles keys again. */
const CHUNK_SIZE = 2_000;

const MAX_AGE_MS = 10_000;

const LIST_TIMEOUT_MS = 20_000;

const RETRY_DELAY_MS = 600_000;

interface IndexedPath {
  readonly path: string;
  /** The path in lower case, for the search. */
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

  /** Returns the best match first. Uses a known list immediately, and refreshes an old one in the background. */
  async find(query: string, signal: AbortSignal): Promise<readonly string[]> {
    const pendingRefresh = this.refresh();
    // An aborted search does not wait for the list.
    if (this.#paths.length === 0) await Promise.race([pendingRefresh, waitForAbort(signal)]);
    const folderEntries = query.endsWith("/") ? listFolderEntries(this.#paths, query.toLowerCase()) : [];
    return folderEntries.length > 0
      ? folderEntries.slice(0, MAX_MATCHES)
      : await findBestMatches(this.#paths, query.toLowerCase(), signal);
  }

  /** Lists the files in the background, unless the list is recent. */
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

  /** Null if listing takes too long, for example in a home folder. */
  async #findFiles(): Promise<readonly string[] | null> {
    const search = await this.#openSearch();
    const options = { signal: AbortSignal.timeout(LIST_TIMEOUT_MS), maxResults: MAX_FILES };
    const result = await search.find({ folder: ".", glob: "**", isUnordered: true }, options).catch(() => null);
    return result?.type === "found" ? result.items : null;
  }
}

/** Returns the parent folders that are not in `known`, and adds them to it. */
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

/** Lists what is directly in a folder, folders first. Empty if no listed file is in it. */
function listFolderEntries(paths: readonly IndexedPath[], folder: string): readonly string[] {
  const isEntry = ({ lowerCase }: IndexedPath): boolean =>
    lowerCase.startsWith(folder) &&
    lowerCase.length > folder.length &&
    !lowerCase.slice(folder.length, -1).includes("/");
  const isFolder = (path: string): number => (path.endsWith("/") ? 0 : 1);
  return paths
    .filter(isEntry)
    .map(({ path }) => path)
    .toSorted((a, b) => isFolder(a) - isFolder(b) || (a < b ? -1 : 1));
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

/** Returns the folder of a path that begins with `~/`, `/`, `./` or `../`. Null for a path in the workspace. */
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
