/** Exports a session as a pi file with all branches, or one branch as Markdown or HTML. Secrets are redacted. */

import { writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import { exportForPi, openStore, sessionIdToFileName } from "@pith/context/node";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { type Block, type ReadBranchResult, readBranch, type TranscriptItem } from "./read-branch.ts";

type Branch = Extract<ReadBranchResult, { type: "branch" }>;

function renderMarkdown({ title, facts, items }: Branch): string {
  const header = [
    `# ${collapseWhitespace(title)}`,
    facts.map(([name, value]) => `- ${name}: ${collapseWhitespace(value)}`).join("\n"),
  ];
  return `${[...header, ...items.map(renderItem)].join("\n\n")}\n`;
}

function renderItem({ kind, heading, blocks }: TranscriptItem): string {
  const headingMark = kind === "user" || kind === "assistant" || kind === "summary" ? "##" : "###";
  return [`${headingMark} ${collapseWhitespace(heading)}`, ...blocks.map((block) => renderBlock(block))].join("\n\n");
}

function renderBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return closeOpenFence(block.text.trimEnd());
    case "thinking":
      return quote(block.text);
    case "tool-call":
      return `Tool call \`${block.name.replaceAll("`", "'")}\`:\n\n${wrapInFence(block.text, "json")}`;
    case "output":
      return wrapInFence(block.text);
    case "attachment":
      return `Attached: ${collapseWhitespace(block.name)}\n\n${wrapInFence(block.text)}`;
    case "image":
      return `*(image, ${block.mimeType})*`;
  }
}

/** Closes a fence that is still open, as in a truncated reply: it would include everything after it. */
function closeOpenFence(text: string): string {
  let openFence = "";
  for (const [, fence = "", suffix = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (openFence === "") openFence = fence.startsWith("`") && suffix.includes("`") ? "" : fence;
    else if (fence.startsWith(openFence) && suffix.trim() === "") openFence = "";
  }
  return openFence === "" ? text : `${text}\n${openFence}`;
}

/** The fence is longer than any run of backticks in the text, so that the text cannot end it. */
function wrapInFence(text: string, language = ""): string {
  const longestRun = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function quote(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => `> ${line}`).join("\n");
}

function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export type ExportFormat = keyof typeof formatExtensions;

export interface ExportOptions {
  /** The path of the new file, which must not exist. Default: a file in `cwd`, named after the session. */
  readonly to?: string | undefined;
  /** Default: decided by the file extension, or HTML if there is none. */
  readonly as?: ExportFormat | undefined;
  /** The leaf of the exported branch. Default: the session's current leaf. */
  readonly leaf?: string | undefined;
  readonly redaction: Redaction;
  readonly cwd: string;
}

export type ExportResult =
  | {
      readonly type: "exported";
      readonly path: string;
      readonly as: ExportFormat;
      /** Hashes of blobs that are missing or damaged. */
      readonly missing: readonly string[];
    }
  | UsageError;

const formatExtensions = { html: ".html", markdown: ".md", pi: ".jsonl" } as const;

export async function exportSession(path: string, options: ExportOptions): Promise<ExportResult> {
  const { to: requestedPath, cwd, redaction } = options;
  const format = options.as ?? detectFormat(requestedPath);
  if (format === null)
    return usageError(`${requestedPath} has no known file extension; use .html, .md or .jsonl (for pi)`);
  if (format === "pi" && options.leaf !== undefined)
    return usageError("a file for pi always contains every branch; choose a leaf only for Markdown or HTML");
  const openResult = await openStore(path, { mode: "follower" });
  if (openResult.type !== "opened")
    return usageError(openResult.type === "unavailable" ? openResult.why : `${path} cannot be read`);
  try {
    const { store } = openResult;
    const targetPath = resolve(
      cwd,
      requestedPath ?? `pith-${sessionIdToFileName(store.header.id).slice(0, 8)}${formatExtensions[format]}`,
    );
    if (format !== "pi") {
      const branch = await readBranch(store, { path, leaf: options.leaf, redaction });
      if (branch.type === "mistake") return branch;
      const text = format === "html" ? (await import("./html.ts")).renderHtml(branch) : renderMarkdown(branch);
      return await writeNewFile(targetPath, text, { format, branch });
    }
    const exportResult = await exportForPi(path, targetPath, { redaction });
    return exportResult.type === "exported"
      ? { ...exportResult, path: targetPath, as: format }
      : usageError(exportResult.why);
  } finally {
    await openResult.store.close();
  }
}

/** Null for an unknown extension, which would not match the content. */
function detectFormat(path = ""): ExportFormat | null {
  const extension = extname(path).toLowerCase();
  const names = Object.keys(formatExtensions) as ExportFormat[];
  return names.find((format) => formatExtensions[format] === extension) ?? (extension === "" ? "html" : null);
}

/** Only the owner can read the file. Never overwrites an existing file. */
async function writeNewFile(
  path: string,
  text: string,
  { format, branch: { missing } }: { readonly format: ExportFormat; readonly branch: Branch },
): Promise<ExportResult> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return { type: "exported", path, as: format, missing };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === "EEXIST") return usageError(`${path} already exists; choose another file`);
    if (code === "ENOENT")
      return usageError(`the folder ${dirname(path)} does not exist; create it, or choose another file`);
    return usageError(`cannot write the file: ${message}`);
  }
}
