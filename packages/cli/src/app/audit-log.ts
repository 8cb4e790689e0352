/** Appends each permission decision to a log in Pith's home, one JSON line each. Nothing waits for it, and no secret is in it. */

import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AuditRecord } from "@pith/agent";

/** Who answers questions: somebody at the drawn or the plain screen, or a program that speaks RPC or ACP. */
export type AuditClient = "screen" | "plain" | "rpc" | "acp" | "print";

export interface AuditLogParts {
  /** Pith's home. */
  readonly home: string;
  readonly cwd: string;
  readonly client: AuditClient;
  /** Told why nothing can be written; once, until it can be written again. */
  readonly note: (line: string) => void;
  /** In milliseconds. */
  readonly now?: () => number;
  /** Where a file is full; 4 MiB, unless told. */
  readonly fileBytes?: number;
}

export function auditFolder(home: string): string {
  return join(home, "audit");
}

/** PAUD1: lines wait for a moment and are appended together; an answer, a lasting grant and a change of the mode are written at once. */
export class AuditLog {
  readonly #parts: AuditLogParts;
  readonly #flushAtExit = (): void => this.flush();
  #lines: string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #hasFailed = false;
  /** Known once the session is open. */
  session: string | null = null;

  constructor(parts: AuditLogParts) {
    this.#parts = parts;
  }

  /** Writes what waits; null, or why it cannot be written. */
  check(): string | null {
    try {
      append(this.#lines.join(""), this.#parts);
      this.#lines = [];
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  record(record: AuditRecord): void {
    const { cwd, client, now = Date.now } = this.#parts;
    const time = new Date(now()).toISOString();
    const isByUser = record.event !== "decision" || record.by === "user";
    const line = { time, session: this.session, cwd, ...record, ...(isByUser && { client }) };
    this.#lines.push(`${JSON.stringify(line)}\n`);
    if (isByUser || this.#lines.length >= MOST_WAITING) this.flush();
    else if (!this.#timer) {
      this.#timer = setTimeout(() => this.flush(), DELAY_MS).unref();
      process.once("exit", this.#flushAtExit);
    }
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    process.off("exit", this.#flushAtExit);
    const text = this.#lines.join("");
    this.#lines = [];
    if (text === "") return;
    try {
      append(text, this.#parts);
      this.#hasFailed = false;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#hasFailed)
        this.#parts.note(`permissions are not recorded, because the audit log cannot be written: ${why}`);
      this.#hasFailed = true;
    }
  }

  close(): void {
    this.flush();
  }
}

const DELAY_MS = 250;
const MOST_WAITING = 200;

/** As a rule in one write at the end of the file, so that the lines of two programs never mix. */
function append(text: string, parts: AuditLogParts): void {
  const file = openCurrentFile(parts);
  try {
    const bytes = Buffer.from(text);
    // A disk that fills up takes a part: the rest goes behind it, or the error says why not.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } finally {
    closeSync(file);
  }
}

/** `2026-11.jsonl`; where it is full, `2026-11-2.jsonl` and so on. Files are never renamed: another program may be writing. */
function openCurrentFile({ home, now = Date.now, fileBytes = FILE_BYTES }: AuditLogParts): number {
  const folder = auditFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const month = new Date(now()).toISOString().slice(0, 7);
  const names = auditFiles(folder);
  for (let part = partOf(names.findLast((name) => name.startsWith(month))); ; part += 1) {
    const name = part === 1 ? `${month}.jsonl` : `${month}-${part}.jsonl`;
    const file = openSync(join(folder, name), APPEND, 0o600);
    if (fstatSync(file).size < fileBytes) {
      if (!names.includes(name)) removeOldest(folder, [...names, name]);
      return file;
    }
    closeSync(file);
  }
}

const FILE_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 12;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** The oldest first. */
export function auditFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort((one, other) => one.slice(0, 7).localeCompare(other.slice(0, 7)) || partOf(one) - partOf(other));
}

const NAME = /^\d{4}-\d\d(?:-(\d+))?\.jsonl$/;

function partOf(name: string | undefined): number {
  return Number(NAME.exec(name ?? "")?.[1] ?? 1);
}

function removeOldest(folder: string, names: readonly string[]): void {
  for (const name of names.slice(0, -MOST_FILES))
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Another program removed it at the same time.
    }
}
