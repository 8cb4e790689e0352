/** Exports a session as a pi file with all branches, or one branch as Markdown or HTML. No secret leaves with it. */

import { writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import { exportForPi, openStore, sessionIdToFileName } from "@pith/context/node";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { page } from "./html.ts";
import { type Block, type Item, type ReadBranch, readBranch } from "./read-branch.ts";

type Branch = Extract<ReadBranch, { type: "branch" }>;

export function markdown({ title, facts, items }: Branch): string {
  const head = [`# ${oneLine(title)}`, facts.map(([name, value]) => `- ${name}: ${oneLine(value)}`).join("\n")];
  return `${[...head, ...items.map(section)].join("\n\n")}\n`;
}

function section({ kind, heading, blocks }: Item): string {
  const mark = kind === "user" || kind === "assistant" || kind === "summary" ? "##" : "###";
  return [`${mark} ${oneLine(heading)}`, ...blocks.map((block) => told(block))].join("\n\n");
}

function told(block: Block): string {
  switch (block.type) {
    case "text":
      return closed(block.text.trimEnd());
    case "thinking":
      return quoted(block.text);
    case "call":
      return `Calls \`${block.name.replaceAll("`", "'")}\`:\n\n${fenced(block.text, "json")}`;
    case "output":
      return fenced(block.text);
    case "attachment":
      return `Attached: ${oneLine(block.name)}\n\n${fenced(block.text)}`;
    case "picture":
      return `*(a picture, ${block.mimeType})*`;
  }
}

/** A fence that nobody has closed, as in a reply that was cut off, would swallow all that follows. */
function closed(text: string): string {
  let open = "";
  for (const [, fence = "", behind = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === "") open = fence.startsWith("`") && behind.includes("`") ? "" : fence;
    else if (fence.startsWith(open) && behind.trim() === "") open = "";
  }
  return open === "" ? text : `${text}\n${open}`;
}

/** The fence is longer than any in the text, so that nothing in it ends it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function quoted(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => `> ${line}`).join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export type ExportFormat = keyof typeof formats;

export interface ExportWish {
  /** Where to; must be free. Absent: a file in the folder one is in, named after the session. */
  readonly to?: string | undefined;
  /** Where nothing is said, the ending of the file decides, and else it is a page. */
  readonly as?: ExportFormat | undefined;
  /** The end of the branch that is shown; where the session stands, unless said. */
  readonly leaf?: string | undefined;
  readonly redaction: Redaction;
  readonly cwd: string;
}

export type Exported =
  | {
      readonly type: "exported";
      readonly path: string;
      readonly as: ExportFormat;
      /** Hashes of blobs that were lost or changed. */
      readonly missing: readonly string[];
    }
  | Mistake;

const formats = { html: ".html", markdown: ".md", pi: ".jsonl" } as const;

export async function exportSession(path: string, wish: ExportWish): Promise<Exported> {
  const { to, cwd, redaction } = wish;
  const as = wish.as ?? formatOf(to);
  if (as === null) return mistake(`what shall ${to} be? Let it end with .html, .md or .jsonl (for pi)`);
  if (as === "pi" && wish.leaf !== undefined)
    return mistake("a file for pi holds every branch; name a leaf only for markdown and html");
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") return mistake(opened.type === "unavailable" ? opened.why : `${path} cannot be read`);
  try {
    const { store } = opened;
    const target = resolve(cwd, to ?? `pith-${sessionIdToFileName(store.header.id).slice(0, 8)}${formats[as]}`);
    if (as !== "pi") {
      const branch = await readBranch(store, { path, leaf: wish.leaf, redaction });
      if (branch.type === "mistake") return branch;
      return await written(target, as === "html" ? page(branch) : markdown(branch), { as, branch });
    }
    const done = await exportForPi(path, target, { redaction });
    return done.type === "exported" ? { ...done, path: target, as } : mistake(done.why);
  } finally {
    await opened.store.close();
  }
}

/** Null where it ends with something that would promise what it is not. */
function formatOf(to = ""): ExportFormat | null {
  const ending = extname(to).toLowerCase();
  const names = Object.keys(formats) as ExportFormat[];
  return names.find((format) => formats[format] === ending) ?? (ending === "" ? "html" : null);
}

interface Written {
  readonly as: ExportFormat;
  readonly branch: Branch;
}

/** For its owner alone, and over nothing that is there. */
async function written(path: string, text: string, { as, branch: { missing } }: Written): Promise<Exported> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return { type: "exported", path, as, missing };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === "EEXIST") return mistake(`${path} is there already; name another file`);
    if (code === "ENOENT") return mistake(`there is no folder ${dirname(path)}; make it, or name another file`);
    return mistake(`it cannot be written: ${message}`);
  }
}
