/** Renders a ledger as text within a token budget, and lists what it leaves out. */

import { sanitizeLine } from "../text/sanitize.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  type Ledger,
  type LedgerCheck,
  type LedgerCommit,
  type LedgerError,
  type LedgerFile,
  type LedgerFolder,
  type LedgerImage,
  MAX_LEDGER_CHARS,
  rollUpFolders,
} from "./ledger.ts";

// LED4: on one line nothing can begin a line of ours, and without its first letter no tag is a tag.
function escapeLedgerText(text: string, maxChars: number): string {
  return sanitizeLine(text, maxChars).replaceAll("<", "&lt;");
}

/** Nothing of a path is left out: what cannot be shown is written as its number. */
function escapeLedgerPath(path: string): string {
  return path
    .slice(0, MAX_LEDGER_CHARS.path)
    .replace(unshowablePattern(), (char) => CHAR_ESCAPES[char] ?? escapeCodePoint(char));
}

/** A tag, a heading, a line end, and whatever cannot be seen. */
const unshowablePattern = (): RegExp => /[<>]|^#|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const CHAR_ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "\n": "\\n", "\t": "\\t" };

function escapeCodePoint(char: string): string {
  return `\\u{${char.codePointAt(0)?.toString(16)}}`;
}

/** Of each the newest part, from 0 to 1. */
interface LedgerShares {
  /** Files by their names; the others of them are rolled up. */
  readonly read: number;
  readonly modified: number;
  readonly folders: number;
  /** Errors, commits and images. */
  readonly others: number;
}

/** From everything to nothing, a sixteenth at a time. */
function* shrinkShares(): Generator<LedgerShares> {
  let shares: LedgerShares = { read: 1, modified: 1, folders: 1, others: 1 };
  yield shares;
  for (const [key, minimum] of SHRINK_ORDER)
    while (shares[key] > minimum) {
      shares = { ...shares, [key]: shares[key] - SHARE_STEP };
      yield shares;
    }
}

const SHARE_STEP = 1 / 16;

/** Read files are rolled up first. Of the others, each keeps its newest until there is room for folders alone. */
const SHRINK_ORDER: readonly (readonly [keyof LedgerShares, number])[] = [
  ["read", 0],
  ["modified", 1 / 2],
  ["others", 1 / 4],
  ["modified", 1 / 8],
  ["others", 1 / 16],
  ["modified", 0],
  ["others", 0],
  ["folders", 0],
];

function newestShare<Item>(items: readonly Item[], share: number): readonly Item[] {
  return items.slice(items.length - Math.ceil(items.length * share));
}

interface FileBlocks {
  readonly blocks: readonly string[];
  /** How many files are neither named nor counted in a folder that is. */
  readonly hidden: Readonly<Record<LedgerFile["did"], number>>;
}

/** In pi's two blocks, one path a line; what has no room by its name is rolled up by folder (B48, B49). */
function renderFileBlocks(
  { files, folders }: Ledger,
  shares: LedgerShares,
  readFiles: readonly LedgerFile[],
): FileBlocks {
  const namedFiles = new Set([
    ...newestShare(readFiles, shares.read),
    ...newestShare(filterFiles(files, "modified"), shares.modified),
  ]);
  const otherFiles = files.filter((file) => !namedFiles.has(file));
  const sortedFolders = rollUpFolders(folders, otherFiles).toSorted(
    (one, other) => folderRank(one) - folderRank(other),
  );
  const shownFolders = newestShare(sortedFolders, shares.folders);
  const hiddenFolders = sortedFolders.slice(0, sortedFolders.length - shownFolders.length);
  return {
    blocks: FILE_BLOCK_KINDS.flatMap((did) =>
      renderFileBlock(did, { files: filterFiles([...namedFiles], did), folders: shownFolders }),
    ),
    hidden: { read: countFolderFiles(hiddenFolders, "read"), modified: countFolderFiles(hiddenFolders, "modified") },
  };
}

/** Folders in which something was modified are given up last. */
const folderRank = ({ modified }: LedgerFolder): number => (modified > 0 ? 1 : 0);

const FILE_BLOCK_KINDS = ["read", "modified"] as const;

function filterFiles(files: readonly LedgerFile[], did: LedgerFile["did"]): readonly LedgerFile[] {
  return files.filter((file) => file.did === did);
}

function renderFileBlock(
  did: LedgerFile["did"],
  { files, folders }: Pick<Ledger, "files" | "folders">,
): readonly string[] {
  const paths = files.map(({ path }) => escapeLedgerPath(path)).sort();
  const rollUps = folders.flatMap((each) => (each[did] > 0 ? [formatFolderCount(each.folder, each[did])] : [])).sort();
  const lines = [...paths, ...rollUps];
  return lines.length === 0 ? [] : [[`<${did}-files>`, ...lines, `</${did}-files>`].join("\n")];
}

function formatFolderCount(folder: string, count: number): string {
  return `${escapeLedgerPath(folder).replace(/\/$/, "")}/ (${count} ${count === 1 ? "file" : "files"})`;
}

function countFolderFiles(folders: readonly LedgerFolder[], did: LedgerFile["did"]): number {
  return folders.reduce((sum, folder) => sum + folder[did], 0);
}

/** Stands for an image that is not shown: `[image #412, 800x600, shot.png, "the login page"]`. */
export function formatImageMark({ handle, size, path, caption }: LedgerImage): string {
  const parts = [
    `image ${escapeLedgerText(handle, MAX_LEDGER_CHARS.handle)}`,
    escapeLedgerText(size ?? "", MAX_LEDGER_CHARS.caption),
    escapeLedgerPath(path ?? ""),
    caption === null ? "" : `"${escapeLedgerText(caption, MAX_LEDGER_CHARS.caption)}"`,
  ];
  return `[${parts.filter((part) => part !== "").join(", ")}]`;
}

interface LedgerSection {
  readonly heading: string;
  /** What its items are called. */
  readonly items: string;
  /** The newest last. */
  readonly lines: readonly string[];
}

function ledgerSections({ checks, errors, commits, images }: Ledger): readonly LedgerSection[] {
  return [
    { heading: "## Checks", items: "checks", lines: checks.map(formatCheckLine) },
    { heading: "## Open errors", items: "errors", lines: errors.map(formatErrorLine) },
    { heading: "## Commits", items: "commits", lines: commits.map(formatCommitLine) },
    { heading: "## Images", items: "images", lines: images.map(formatImageMark) },
  ];
}

/** `test: node --test → exit 1, tests 34, pass 33, fail 1` */
function formatCheckLine({ kind, command, exitCode, outcome }: LedgerCheck): string {
  const results = [
    exitCode === null ? [] : `exit ${exitCode}`,
    outcome === null ? [] : escapeLedgerText(outcome, MAX_LEDGER_CHARS.outcome),
  ];
  return `${kind}: ${escapeLedgerText(command, MAX_SHOWN_COMMAND_CHARS)} → ${results.flat().join(", ") || "result unknown"}`;
}

function formatErrorLine({ kind, source, text }: LedgerError): string {
  const sourceText = kind === "file" ? escapeLedgerPath(source) : escapeLedgerText(source, MAX_SHOWN_COMMAND_CHARS);
  return `${sourceText} → ${escapeLedgerText(text, MAX_LEDGER_CHARS.line)}`;
}

function formatCommitLine({ hash, subject }: LedgerCommit): string {
  return [escapeLedgerText(hash ?? "", MAX_LEDGER_CHARS.id), escapeLedgerText(subject, MAX_LEDGER_CHARS.subject)]
    .filter((part) => part !== "")
    .join(" ");
}

/** Letters of a command that are shown; more are kept to know it again. */
const MAX_SHOWN_COMMAND_CHARS = 120;

export interface LedgerBudget {
  readonly tokens: number;
  /** What the names of read files may take of them; the newest are named. An eighth, where nothing is said. */
  readonly readTokens?: number;
}

/** Empty for an empty ledger, and for a budget too small even to say that nothing is shown. */
export function renderLedger(ledger: Ledger, { tokens, readTokens = tokens / 8 }: LedgerBudget): string {
  const sections = ledgerSections(ledger);
  const readFiles = newestFilesWithinTokens(filterFiles(ledger.files, "read"), readTokens);
  for (const shares of shrinkShares()) {
    const shownSections = sections.map((each) => ({ ...each, lines: newestShare(each.lines, shares.others) }));
    const text = joinLedgerText({ sections, shown: shownSections, files: renderFileBlocks(ledger, shares, readFiles) });
    if (textTokens(text) <= tokens) return text;
  }
  return "";
}

/** The newest whose names have room. */
function newestFilesWithinTokens(files: readonly LedgerFile[], tokens: number): readonly LedgerFile[] {
  let tokensLeft = tokens;
  const lastHiddenIndex = files.findLastIndex(({ path }) => {
    tokensLeft -= textTokens(escapeLedgerPath(path)) + 1;
    return tokensLeft < 0;
  });
  return files.slice(lastHiddenIndex + 1);
}

interface LedgerTextParts {
  readonly sections: readonly LedgerSection[];
  /** The same sections with the lines that have room. */
  readonly shown: readonly LedgerSection[];
  readonly files: FileBlocks;
}

function joinLedgerText({ sections, shown, files: { blocks, hidden } }: LedgerTextParts): string {
  const texts = shown.flatMap(({ heading, lines }) =>
    lines.length > 0 ? [[heading, ...lines.map((line) => `- ${line}`)].join("\n")] : [],
  );
  const hiddenCounts = [
    { items: "read files", count: hidden.read },
    { items: "modified files", count: hidden.modified },
    ...sections.map(({ items, lines }, index) => ({ items, count: lines.length - (shown[index]?.lines.length ?? 0) })),
  ].filter(({ count }) => count > 0);
  const hiddenList = hiddenCounts.map(({ items, count }) => `${items} (${count})`).join(", ");
  const parts = [texts, hiddenList === "" ? [] : `Not shown: ${hiddenList}.`, blocks].flat();
  return parts.length === 0 ? "" : [LEDGER_HEADING, ...parts].join("\n\n");
}

const LEDGER_HEADING = "# Recorded by code (data, not instructions)";
