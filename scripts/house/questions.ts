/** Asks about unusual sizes of files, folders and functions, about names that readers cannot guess, and about sentences that sound translated. These are questions, never faults. */

import { posix } from "node:path";
import { Visitor } from "rolldown/utils";
import { type Fault, formatCount } from "../fault.ts";
import {
  countLines,
  type DeclaredName,
  lineAt,
  listDeclaredNames,
  listExports,
  listFunctions,
  listImports,
  parseSource,
  type Source,
} from "../source/source.ts";
import { CONTEXT_SOURCES, type Workspace } from "./workspace.ts";

/** The column "ask why" of the table in CONTRIBUTING.md. */
const LIMITS = {
  fileLines: 500,
  smallFileLines: 40,
  folderFiles: 20,
  fewestFiles: 3,
  depth: 2,
  functionLines: 60,
  parameters: 3,
};

export function askAboutSizes({ sources }: Workspace): readonly Fault[] {
  return [
    ...sources.filter(isLong).map(askAboutLongFile),
    ...askAboutSmallFiles(sources),
    ...askAboutFolderSizes(sources),
    ...askAboutRepeatedNames(sources),
    ...askAboutDepth(sources),
    ...askAboutMutualImports(sources),
    ...sources.flatMap(askAboutFunctions),
  ];
}

/** The folder whose subfolders count: `packages/cli/src`, `bench/src`, `scripts`. */
function sourceFolder(path: string): string {
  const src = path.indexOf("/src/");
  return src < 0 ? path.slice(0, path.indexOf("/")) : path.slice(0, src + "/src".length);
}

/** The number of folders between the source folder and the file. */
export function folderDepth(path: string): number {
  return path.slice(sourceFolder(path).length + 1).split("/").length - 1;
}

export function isLong(source: Source): boolean {
  return countLines(source) > LIMITS.fileLines;
}

function askAboutLongFile(source: Source): Fault {
  return { path: source.path, line: 1, sentence: `${countLines(source)} lines; does it have a second subject?` };
}

/** An `index.ts`, a port or a table (no function) may be small, and so may a program (no importer). */
function askAboutSmallFiles(sources: readonly Source[]): Fault[] {
  const imported = new Set(sources.flatMap((source) => listImports(source).flatMap(({ target }) => target ?? [])));
  return sources.flatMap((source) => {
    const lines = countLines(source);
    if (lines >= LIMITS.smallFileLines || posix.basename(source.path) === "index.ts") return [];
    if (!imported.has(source.path) || listFunctions(source).length === 0) return [];
    return [{ path: source.path, line: 1, sentence: `${lines} lines; does it belong in a file that imports it?` }];
  });
}

/** The source folder itself may contain a single program. */
function askAboutFolderSizes(sources: readonly Source[]): Fault[] {
  const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([path, files]) => {
    if (files.length > LIMITS.folderFiles)
      return [{ path, line: 1, sentence: `${files.length} files; does it need a subfolder?` }];
    const hasFolders = [...folders.keys()].some((other) => other.startsWith(`${path}/`));
    if (files.length >= LIMITS.fewestFiles || hasFolders || path === sourceFolder(`${path}/`)) return [];
    return [{ path, line: 1, sentence: `${formatCount(files.length, "file")}; is the folder needed?` }];
  });
}

function askAboutRepeatedNames(sources: readonly Source[]): Fault[] {
  const folders = new Set(sources.map(({ path }) => posix.dirname(path)));
  return [...folders].flatMap((path) => {
    const names = path.slice(sourceFolder(`${path}/`).length + 1).split("/");
    const name = names.pop() ?? "";
    if (!names.includes(name)) return [];
    return [{ path, line: 1, sentence: `"${name}" is also the name of a parent folder; what is the difference?` }];
  });
}

function askAboutDepth(sources: readonly Source[]): Fault[] {
  const folders = new Map(sources.map(({ path }) => [posix.dirname(path), path]));
  return [...folders].flatMap(([folder, file]) => {
    const depth = folderDepth(file);
    if (depth <= LIMITS.depth) return [];
    return [{ path: folder, line: 1, sentence: `${depth} folders below ${sourceFolder(file)}; is each one needed?` }];
  });
}

/** Two folders of `packages/context/src` that import each other have no order in which a reader can take them. */
function askAboutMutualImports(sources: readonly Source[]): Fault[] {
  const pairs = new Set(
    sources.flatMap((source) =>
      listImports(source).map(({ target }) => `${topFolder(source.path)} ${topFolder(target)}`),
    ),
  );
  return [...pairs].flatMap((pair) => {
    const [importer = "", importedFolder = ""] = pair.split(" ");
    if (
      importer === "" ||
      importedFolder === "" ||
      importer >= importedFolder ||
      !pairs.has(`${importedFolder} ${importer}`)
    )
      return [];
    return [
      { path: importer, line: 1, sentence: `imports ${importedFolder}, which imports it back; which one is below?` },
    ];
  });
}

/** The folder directly below `packages/context/src`; empty for any other file. */
function topFolder(path: string | null): string {
  const [folder = "", ...rest] = path?.startsWith(CONTEXT_SOURCES) ? path.slice(CONTEXT_SOURCES.length).split("/") : [];
  return rest.length === 0 ? "" : CONTEXT_SOURCES + folder;
}

function askAboutFunctions(source: Source): Fault[] {
  const { path } = source;
  return listFunctions(source).flatMap(({ name, line, lines, parameters }) => {
    const long = { path, line, sentence: `${name} has ${lines} lines; which part is a function of its own?` };
    const wide = { path, line, sentence: `${name} takes ${parameters} parameters; would one object read better?` };
    return [...(lines > LIMITS.functionLines ? [long] : []), ...(parameters > LIMITS.parameters ? [wide] : [])];
  });
}

export function askAboutNames({ sources, tests }: Workspace): readonly Fault[] {
  return [
    ...listGerundFolders([...sources, ...tests]).map((path) => ({
      path,
      line: 1,
      sentence: `"${posix.basename(path)}" is a gerund; which noun does a reader look for?`,
    })),
    ...sources.flatMap(participlesToAskAbout).map(({ path, line, name, word }) => ({
      path,
      line,
      sentence: `${name} begins with the participle "${word}"; which verb and object, or noun?`,
    })),
  ];
}

/** In `packages/context` every such name. Elsewhere, until those packages are renamed, exported names that are a participle alone. */
function participlesToAskAbout(source: Source): readonly ParticipleName[] {
  const participles = listParticipleNames([source]);
  if (source.path.startsWith(CONTEXT_SOURCES)) return participles;
  const exported = new Set(listExports(source).map(({ name }) => name));
  return participles.filter(({ name, word }) => exported.has(name) && name.toLowerCase() === word);
}

/** A declared name whose first word is a participle or a gerund. */
export interface ParticipleName extends DeclaredName {
  readonly path: string;
  readonly word: string;
}

export function listParticipleNames(sources: readonly Source[]): readonly ParticipleName[] {
  return sources.flatMap((source) =>
    listDeclaredNames(source).flatMap((declared) => {
      const word = firstWord(declared.name);
      return isParticiple(word) ? [{ ...declared, path: source.path, word }] : [];
    }),
  );
}

/** `kept` for `keptWords`, `made` for `MADE_BY`, `asking` for `Asking`. */
function firstWord(name: string): string {
  return (/^[_$]*([A-Z]+(?![a-z])|[A-Z]?[a-z]+)/.exec(name)?.[1] ?? name).toLowerCase();
}

function isParticiple(word: string): boolean {
  return IRREGULAR_FORMS.has(word) || (!OTHER_WORDS.has(word) && /[a-z]{2}(?:ed|ing)$/.test(word));
}

/** Folders whose name is a gerund, such as `reading`. */
export function listGerundFolders(files: readonly Source[]): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => parentFolders(path)));
  return [...folders].filter((folder) => isGerund(posix.basename(folder))).toSorted();
}

function parentFolders(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === "." ? [] : [...parentFolders(folder), folder];
}

function isGerund(name: string): boolean {
  return !OTHER_WORDS.has(name) && /[a-z]ing$/.test(name);
}

/** Words that end in -ed or -ing and are something else: nouns, plain verbs, and the adjectives `missing` and `pending`. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  [
    ["embed", "exceed", "feed", "hundred", "need", "proceed", "red", "seed", "shed", "shred", "speed", "succeed"],
    ["anything", "bring", "during", "everything", "nothing", "ping", "ring", "spring", "string", "swing", "thing"],
    ["beginning", "billing", "binding", "building", "embedding", "encoding", "ending", "finding", "heading"],
    ["listing", "meaning", "missing", "onboarding", "padding", "pending", "pricing", "reasoning", "setting"],
    ["spacing", "spelling", "testing", "thinking", "timing", "warning"],
  ].flat(),
);

/**
 * Participles and past tenses without -ed. Words that are also the verb's plain form are left out, because they begin good names:
 * `readSettings`, `putEntry`, `setModel`, `cutText`, `splitLines`.
 */
const IRREGULAR_FORMS: ReadonlySet<string> = new Set(
  [
    ["begun", "bent", "borne", "bought", "broken", "brought", "built", "came", "caught", "chosen", "come", "done"],
    ["drawn", "driven", "fallen", "felt", "forgotten", "found", "frozen", "given", "gone", "grown", "heard", "held"],
    ["hidden", "kept", "known", "laid", "learnt", "led", "left", "lent", "lost", "made", "meant", "met", "overridden"],
    ["paid", "rewritten", "risen", "said", "seen", "sent", "shown", "shrunk", "sold", "sought", "spent", "spoken"],
    ["stood", "stuck", "struck", "swept", "taken", "thrown", "told", "torn", "understood", "won", "worn", "written"],
  ].flat(),
);

const MARKS: readonly RegExp[] = [
  /\b(?:nobody|whoever|somebody|anew)\b/i,
  /\bwho (?:speaks|spoke|tells)\b/i,
  /\b(?:is|are|was|were) (?:told|heard)\b/i,
  /\bit is said\b|\bas (?:it|they) (?:was|were) said\b/i,
  /\b(?:tells?|told) (?:it|them|that) in short\b|\btold in short\b/i,
  /\bbehind (?:it|them|its|a flag|the name)\b/i,
  /\b(?:it|that) counts\b|\bcounts? (?:again|here)\b|\bdoes not count\b/i,
  /\bby itself\b/i,
  /\bone (?:stands|goes|stays|types|wants|works|sees|comes|came)\b/i,
  /\bunder way\b/i,
  /\b(?:shall|must needs|in truth)\b/i,
  /(?:^|[.!?] )(?:Should|Were|Had) \w+ [a-z]/,
];

export interface ProseMark extends Fault {
  /** The words that were found. */
  readonly found: string;
}

export function listProseMarks({ pages, sources }: Workspace): readonly ProseMark[] {
  const strings = sources.filter(({ path }) => path.startsWith("packages/")).flatMap(listStrings);
  return [...pages.flatMap(listParagraphs), ...strings].flatMap(({ path, line, text }) => {
    const found = MARKS.map((mark) => mark.exec(text)?.[0]).find((words) => words !== undefined);
    return found === undefined ? [] : [{ path, line, found, sentence: `"${found.trim()}": ${shorten(text)}` }];
  });
}

interface Passage {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The lines of a page outside of code fences, without inline code and links' addresses. */
function listParagraphs({ path, text }: Source): readonly Passage[] {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const prose = line.replaceAll(/`[^`]*`|\]\([^)]*\)/g, "");
    return isCode || prose.trim() === "" ? [] : [{ path, line: index + 1, text: prose }];
  });
}

/** Strings of two words and more; a template counts by its pieces. */
function listStrings(source: Source): readonly Passage[] {
  const passages: Passage[] = [];
  const add = (text: string, start: number): void => {
    if (/\w \w/.test(text)) passages.push({ path: source.path, line: lineAt(source.text, start), text });
  };
  const visitor = new Visitor({
    Literal: ({ value, start }) => typeof value === "string" && add(value, start),
    TemplateElement: ({ value, start }) => add(value.cooked ?? value.raw, start),
  });
  visitor.visit(parseSource(source).program);
  return passages;
}

function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line;
}

const MAX_CHARS = 160;
