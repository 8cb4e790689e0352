/** A session for others: as pi's own file with all its branches, or the branch one stands on as a text or a page. No secret leaves with it. */

import { writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import { exportForPi, idAsName, openStore } from "@pith/context/node";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { type ReadBranch, readBranch } from "./branch.ts";
import { markdown } from "./markdown.ts";
import { page } from "./page/page.ts";

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
  const opened = await openStore(path, { as: "follower" });
  if (opened.type !== "opened") return mistake(opened.type === "unavailable" ? opened.why : `${path} cannot be read`);
  try {
    const { store } = opened;
    const target = resolve(cwd, to ?? `pith-${idAsName(store.header.id).slice(0, 8)}${formats[as]}`);
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
  readonly branch: Extract<ReadBranch, { type: "branch" }>;
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
