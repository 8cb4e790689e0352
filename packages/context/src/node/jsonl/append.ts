/** Appends batches of lines to a session file. An incomplete write is taken back; after a failed sync nothing more is written. */

import { type Marks, markedBody, sealEnd } from "../../format/line-checksum.ts";
import type { Checksum } from "../../runtime.ts";
import type { Refusal } from "../../session/store.ts";
import { appendAll, diskError, type Files, type OpenFile } from "../files.ts";

/** `durable` waits for the disk at every append; `fast` at most a second later, and when asked to. */
export type Durability = "durable" | "fast";

export class LogFile {
  readonly path: string;
  readonly file: OpenFile;
  readonly #files: Files;
  readonly #identity: string;
  /** How many bytes of the file are known. */
  #size: number;
  /** Set once the disk has failed: what a failed sync left behind nobody knows, so it is never tried again. */
  #broken: Refusal | null = null;
  #unsynced = 0;
  #runStart = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Whether lines that were there before us may not be on the disk: their writer may have died before it waited. */
  #inherited = true;
  /** Known to be so; a file that another hand wrote to is looked at again. */
  #ended = false;

  constructor(path: string, file: OpenFile, files: Files) {
    const { identity, size } = file.stat();
    this.path = path;
    this.file = file;
    this.#files = files;
    this.#identity = identity;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** Lines of ours that the disk may not have yet. */
  get unsynced(): number {
    return this.#unsynced;
  }

  /** Where those begin. */
  get runStart(): number {
    return this.#unsynced === 0 ? this.#size : this.#runStart;
  }

  // LOG13: a run counts from where all is on the disk, so lines of another hand are waited for first.
  /** Makes sure that every line the disk may not have is one of ours. */
  startRun(): boolean {
    return !this.#inherited || this.sync();
  }

  /** What has happened to the file since we last looked. */
  news(): "none" | "grown" | Refusal {
    if (this.#broken) return this.#broken;
    const found = this.#files.stat(this.path);
    if (found === null) return "file-removed";
    if (found.identity !== this.#identity) return "file-replaced";
    if (found.size < this.#size) return "file-shortened";
    if (found.size > this.#size) return "grown";
    return found.readOnly ? "not-writable" : "none";
  }

  /** Takes note of what another hand has added. */
  acknowledge(): void {
    this.#size = this.file.stat().size;
    this.#ended = false;
    this.#inherited = true;
  }

  /** Whether the last line has a line end, so that the next can follow. */
  isEnded(): boolean {
    this.#ended ||= this.endsInLineEnd(this.#size);
    return this.#ended;
  }

  /** Whether the byte before this place is a line end; an empty file ends in one as it were. */
  endsInLineEnd(place: number): boolean {
    const last = new Uint8Array(1);
    return place === 0 || (this.file.read(last, place - 1) === 1 && last[0] === LINE_END);
  }

  /** Writes behind all that is there. */
  append(
    bytes: Uint8Array,
    { lines, durability }: { readonly lines: number; readonly durability: Durability },
  ): Written {
    if (this.#broken) return { type: "refused", why: this.#broken };
    const before = this.#size;
    if (this.#unsynced === 0) this.#runStart = before;
    try {
      appendAll(this.file, bytes);
    } catch (error) {
      return this.#takenBack(bytes, error);
    }
    this.#size += bytes.length;
    this.#ended = bytes.at(-1) === LINE_END;
    this.#unsynced += lines;
    if (durability === "fast" && this.#unsynced < LONGEST_RUN) this.#timer ??= this.#syncSoon();
    else if (!this.sync()) return { type: "refused", why: "disk-error" };
    return { type: "written", offset: before };
  }

  /** Waits for the disk; false, and for ever read-only, if it fails. */
  sync(): boolean {
    if (this.#broken) return false;
    if (this.#unsynced === 0 && !this.#inherited) return true;
    try {
      this.file.sync();
      this.#unsynced = 0;
      this.#inherited = false;
      return true;
    } catch (error) {
      this.#breakBy(error);
      return false;
    }
  }

  /** Whatever is not on the disk yet has been waited for, or will not be. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.file.close();
  }

  /** Nothing is written any more: nobody knows what the disk holds. */
  giveUp(): void {
    this.#broken = "disk-error";
  }

  /** Cuts off what was torn; the caller has set it aside. */
  shorten(size: number): void {
    this.file.truncate(size);
    this.#size = size;
    this.#ended = false;
    // Until the disk has it, what was cut off may come back and show through.
    this.#inherited = true;
  }

  // D5: a line that did not fit is taken back, so that the next one does not stick to its remains.
  #takenBack(bytes: Uint8Array, error: unknown): Written {
    const why = refusalOf(error);
    try {
      if (!this.#isBehind(bytes)) this.giveUp();
      else this.shorten(this.#size);
    } catch (second) {
      this.#breakBy(second);
    }
    if (why !== "disk-full") this.giveUp();
    return { type: "refused", why: this.#broken ?? why };
  }

  // What another hand wrote in the same moment is not ours to take back.
  #isBehind(bytes: Uint8Array): boolean {
    const arrived = new Uint8Array(Math.max(0, this.file.stat().size - this.#size));
    return this.file.read(arrived, this.#size) === arrived.length && arrived.every((byte, at) => byte === bytes[at]);
  }

  #syncSoon(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timer = null;
      this.sync();
    }, SYNC_WITHIN);
    return timer.unref();
  }

  #breakBy(error: unknown): void {
    if (diskError(error) === "") throw error;
    this.#broken = "disk-error";
  }
}

export type Written =
  | { readonly type: "written"; readonly offset: number }
  | { readonly type: "refused"; readonly why: Refusal };

/** What a disk's error means for whoever wanted to append; anything else is thrown on. */
export function refusalOf(error: unknown): Refusal {
  const code = diskError(error);
  if (code === "") throw error;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return "disk-full";
  return ["EACCES", "EPERM", "EROFS"].includes(code) ? "not-writable" : "disk-error";
}

const LINE_END = 0x0a;
/** Lines; after a power cut they are looked through together. */
const LONGEST_RUN = 64;
/** Milliseconds; with the time a sync takes, still less than a second. */
const SYNC_WITHIN = 800;

export interface BatchParts {
  /** Whether the file's lines carry a seal. */
  readonly ours: boolean;
  readonly checksum: Checksum;
  /** Where the first parent stands, if it is not the line before. */
  readonly up: number | undefined;
  /** Where the lines begin that the disk may not have yet; undefined where every line waits for the disk. */
  readonly run: number | undefined;
  /** The last line of the file has no line end yet. */
  readonly afterUnended: boolean;
}

export interface EncodedBatch {
  readonly bytes: Uint8Array;
  /** Counted from where the bytes are written. */
  readonly places: readonly { readonly offset: number; readonly length: number }[];
}

export function encodedBatch(texts: readonly string[], parts: BatchParts): EncodedBatch {
  const lines = texts.map((text, at) => encodedLine(text, marksOf(at, texts.length, parts), parts));
  const before = parts.afterUnended ? [NEWLINE] : [];
  let offset = before.length;
  const places = lines.map(({ length }) => {
    const place = { offset, length: length - 1 };
    offset += length;
    return place;
  });
  const [only = EMPTY] = lines;
  return { bytes: lines.length === 1 && !parts.afterUnended ? only : Buffer.concat([...before, ...lines]), places };
}

// Made into bytes once: the checksum sums up the same bytes that are written.
function encodedLine(text: string, marks: Marks, { ours, checksum }: BatchParts): Buffer {
  if (!ours) return Buffer.from(`${text}\n`);
  const body = markedBody(text, marks);
  const line = Buffer.allocUnsafe(Buffer.byteLength(body) + SEAL_END);
  const length = line.write(body);
  line.write(`${sealEnd(checksum(line.subarray(0, length)))}\n`, length, "latin1");
  return line;
}

function marksOf(at: number, size: number, { up, run }: BatchParts): Marks {
  return {
    ...(at === 0 && up !== undefined && { up }),
    ...(run !== undefined && { run }),
    ...(size > 1 && { batch: [at + 1, size] as const }),
  };
}

const EMPTY = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");
/** `,"crc":"` and eight digits, `"}`, line end. */
const SEAL_END = 19;
