/** Appends each permission decision to a log in Pith's home, as one JSON line. It never delays a decision and contains no secrets. */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AuditRecord } from "@pith/agent";
import type { HostContext } from "@pith/host/host-context";

/** The client that answers permission questions: the interactive or plain screen, or a program over RPC or ACP. `print`: no questions. */
export type AuditClient = "screen" | "plain" | "rpc" | "acp" | "print";

export interface AuditLogOptions extends Pick<HostContext, "cwd" | "home"> {
  readonly client: AuditClient;
  /** Called when the log cannot be written, with the reason. Not called again until a write succeeds. */
  readonly notify: (line: string) => void;
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** The size at which a new file is started. Default: 4 MiB. */
  readonly maxFileBytes?: number;
}

export function auditFolderPath(home: string): string {
  return join(home, "audit");
}

/** PAUD1: buffers lines briefly and appends them together. A user's answer, a granted rule and a change of the mode are written immediately. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #flushAtExit = (): void => this.flush();
  #pendingLines: string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #hasFailed = false;
  /** Null until the session is open. */
  sessionId: string | null = null;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Writes the pending lines. Returns null, or the reason why the log cannot be written. */
  checkWritable(): string | null {
    try {
      appendToLog(this.#pendingLines.join(""), this.#options);
      this.#pendingLines = [];
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  record(record: AuditRecord): void {
    const { cwd, client, now = Date.now } = this.#options;
    const time = new Date(now()).toISOString();
    const isUserAction = record.event !== "decision" || record.by === "user";
    const entry = { time, session: this.sessionId, cwd, ...hashAction(record), ...(isUserAction && { client }) };
    this.#pendingLines.push(`${JSON.stringify(entry)}\n`);
    if (isUserAction || this.#pendingLines.length >= MAX_PENDING_LINES) this.flush();
    else if (!this.#timer) {
      this.#timer = setTimeout(() => this.flush(), FLUSH_DELAY_MS).unref();
      process.once("exit", this.#flushAtExit);
    }
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    process.off("exit", this.#flushAtExit);
    const text = this.#pendingLines.join("");
    this.#pendingLines = [];
    if (text === "") return;
    try {
      appendToLog(text, this.#options);
      this.#hasFailed = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#hasFailed)
        this.#options.notify(
          `permission decisions are not recorded, because the audit log cannot be written: ${reason}`,
        );
      this.#hasFailed = true;
    }
  }

  close(): void {
    this.flush();
  }
}

/** PAUD5: the log keeps a hash of the action. The session has the action itself. */
function hashAction(record: AuditRecord): object {
  if (record.event !== "decision") return record;
  const { action, ...rest } = record;
  return { ...rest, hash: createHash("sha256").update(JSON.stringify(action)).digest("hex") };
}

const FLUSH_DELAY_MS = 250;
const MAX_PENDING_LINES = 200;

/** Appends the text, usually in one write, so that lines of two processes do not mix. */
function appendToLog(text: string, options: AuditLogOptions): void {
  const file = openCurrentFile(options);
  try {
    const bytes = Buffer.from(text);
    // A write may be partial if the disk is nearly full. The next write appends the rest or throws the reason.
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
  } finally {
    closeSync(file);
  }
}

/** Opens `2026-11.jsonl`, or `2026-11-2.jsonl` and so on if it is full. Files are never renamed: another process may be writing to them. */
function openCurrentFile({ home, now = Date.now, maxFileBytes = MAX_FILE_BYTES }: AuditLogOptions): number {
  const folder = auditFolderPath(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const month = new Date(now()).toISOString().slice(0, 7);
  const names = listAuditFiles(folder);
  for (let part = parsePartNumber(names.findLast((name) => name.startsWith(month))); ; part += 1) {
    const name = part === 1 ? `${month}.jsonl` : `${month}-${part}.jsonl`;
    const file = openSync(join(folder, name), APPEND_FLAGS, 0o600);
    if (fstatSync(file).size < maxFileBytes) {
      if (!names.includes(name)) removeOldestFiles(folder, [...names, name]);
      return file;
    }
    closeSync(file);
  }
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 12;
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Oldest first. */
export function listAuditFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => FILE_NAME_PATTERN.test(name))
    .sort((a, b) => a.slice(0, 7).localeCompare(b.slice(0, 7)) || parsePartNumber(a) - parsePartNumber(b));
}

const FILE_NAME_PATTERN = /^\d{4}-\d\d(?:-(\d+))?\.jsonl$/;

function parsePartNumber(name: string | undefined): number {
  return Number(FILE_NAME_PATTERN.exec(name ?? "")?.[1] ?? 1);
}

function removeOldestFiles(folder: string, names: readonly string[]): void {
  for (const name of names.slice(0, -MAX_FILES))
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Another process removed it at the same time.
    }
}
