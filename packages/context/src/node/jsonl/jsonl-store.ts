/** A session kept in a file: one line an entry, appended and never changed. Whatever happens to the process, the file is whole. */

import { dirname } from "node:path";
import type { Entry, Header } from "../../entry.ts";
import { type FormatLimits, formatLimits } from "../../limits.ts";
import type { Ports } from "../../ports.ts";
import type { Damage } from "../../session/codec/damage.ts";
import { newHeader, type Origin } from "../../session/codec/header.ts";
import { encodeSession, isNewer, migrated, type SessionFile } from "../../session/codec/session-file.ts";
import { HeldLines } from "../../session/held-lines.ts";
import { LineStore, verdict } from "../../session/line-store.ts";
import type { Lines } from "../../session/lines.ts";
import type { Appended, Fence, Refusal } from "../../session/store.ts";
import type { Window } from "../../session/window.ts";
import { diskError, type Files } from "../files/files.ts";
import { realFiles } from "../files/real-files.ts";
import { type Lease, takeLease } from "../lease/lease.ts";
import { type Owner, type Processes, realProcesses } from "../lease/owner.ts";
import { machine } from "../machine.ts";
import { encodedBatch } from "./encode-batch.ts";
import { FileLines } from "./file-lines.ts";
import { type IndexParts, keepIndex, keptIndex } from "./index-file.ts";
import { type Durability, LogFile } from "./log-file.ts";
import { createWhole, makeFolder, replaceWhole, setAside } from "./rewrite.ts";
import { indexPath, leasePath, sideFolder } from "./side-folder.ts";
import { type SoundFile, soundFile } from "./sound-file.ts";
import { wholeFile } from "./whole-file.ts";

export interface StoreParts {
  readonly files?: Files;
  readonly ports?: Pick<Ports, "now" | "sessionId" | "nonce" | "checksum">;
  readonly processes?: Processes;
  readonly limits?: FormatLimits;
  readonly durability?: Durability;
}

export interface Opening extends StoreParts {
  /** A follower only reads; a taker becomes the writer although another is. */
  readonly as?: "writer" | "follower" | "taker";
}

export type Opened =
  | { readonly type: "opened"; readonly store: JsonlStore }
  /** Another process writes it: follow it, fork it, or take it over. */
  | { readonly type: "held"; readonly owner: Owner }
  | { readonly type: "unavailable"; readonly code: string; readonly why: string };

type Settled = Required<StoreParts>;

export class JsonlStore extends LineStore {
  readonly path: string;
  readonly #parts: Settled;
  readonly #lease: Lease | null;
  #log: LogFile;
  #lines: FileLines | HeldLines;
  #header: Header;
  #ours: boolean;
  #damage: readonly Damage[];
  /** What was found and must be put right before the first append; null from then on. */
  #unready: Unready | null;
  #indexing: Promise<void> | null = null;
  #keptUpTo = 0;
  #timer: NodeJS.Timeout | null = null;

  /** A new, empty session. */
  static async create(path: string, origin: Origin, parts: StoreParts = {}): Promise<Opened> {
    const settled = withDefaults(parts);
    const { files, ports } = settled;
    return translated(path, () => {
      makeFolder(dirname(path), files);
      createWhole(path, encodeSession([JSON.stringify(newHeader(origin, ports))], ports.checksum), files);
      return openedAs("writer", path, settled);
    });
  }

  /** Reads no further than the context needs, and changes nothing. */
  static async open(path: string, { as = "writer", ...parts }: Opening = {}): Promise<Opened> {
    return translated(path, () => openedAs(as, path, withDefaults(parts)));
  }

  /** @internal By `open` and `create` only. */
  constructor(log: LogFile, lease: Lease | null, parts: Settled) {
    super();
    this.path = log.path;
    this.#parts = parts;
    this.#lease = lease;
    this.#log = log;
    const sound = soundFile(log.file, parts.ports.checksum, parts.limits);
    const found = sound ? this.#sound(sound) : this.#whole();
    this.#lines = found.lines;
    this.#header = found.header;
    this.#ours = found.ours;
    this.#damage = found.damage;
    this.#unready = found.unready;
  }

  get header(): Header {
    return this.#header;
  }

  /** What was found to be wrong so far; `check` looks at every line. */
  get damage(): readonly Damage[] {
    return this.#damage;
  }

  /** Whether this process may write. */
  get isWriter(): boolean {
    return this.#lease?.holds() ?? false;
  }

  override async leaf(): Promise<string | null> {
    this.#look();
    return this.#lines.leaf;
  }

  override async window(leaf: string | null): Promise<Window> {
    const lines = this.#lines;
    const glance = lines instanceof FileLines && !this.#isIndexed() && leaf === lines.leaf ? lines.glance() : null;
    return glance ?? super.window(leaf);
  }

  async append(batch: readonly Entry[], fence: Fence): Promise<Appended> {
    try {
      this.#look();
      const lines = await this.lines();
      // From here on nothing waits, so nothing comes between.
      const why = this.#refusal();
      if (why) return this.#refused(why);
      const found = verdict(lines, batch, fence);
      if (found.type !== "to-write") return found;
      this.#makeAppendable();
      const refusal = this.#write(batch, found.texts);
      return refusal ? this.#refused(refusal) : { type: "appended", leaf: this.#lines.leaf };
    } catch (error) {
      return this.#refused(refusalOf(error));
    }
  }

  /** Waits until all that was appended is on the disk; in `fast` mode the end of a turn asks for it. */
  async sync(): Promise<boolean> {
    return this.#log.sync();
  }

  /** Every line of the file, looked at. */
  async check(): Promise<readonly Damage[]> {
    const { ports, limits } = this.#parts;
    this.#damage = wholeFile(this.#log.file, { checksum: ports.checksum, limits }).damage;
    return this.#damage;
  }

  /** The entries that come in from now on, as another process writes them: each once, in order. Ends when aborted. */
  async *follow({
    signal,
    every = 100,
  }: {
    readonly signal: AbortSignal;
    readonly every?: number;
  }): AsyncGenerator<readonly Entry[]> {
    await this.lines();
    let seen = this.#lines.count;
    while (!signal.aborted) {
      this.#look();
      await this.lines();
      const fresh = this.#lines.entriesFrom(seen);
      seen += fresh.length;
      if (fresh.length > 0) yield fresh;
      else await pause(every, signal);
    }
  }

  /** Waits for the disk, keeps the index and gives up the lease. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#log.sync();
    this.#keepIndex();
    this.#lease?.release();
    this.#log.file.close();
  }

  protected async lines(): Promise<Lines> {
    this.#indexing ??= this.#index();
    try {
      await this.#indexing;
    } catch (error) {
      this.#indexing = null;
      throw error;
    }
    return this.#lines;
  }

  #refused(why: Refusal): Appended {
    return { type: "refused", why, leaf: this.#lines.leaf };
  }

  #isIndexed(): boolean {
    return !(this.#lines instanceof FileLines) || this.#lines.index.covers >= this.#lines.end;
  }

  // Notes what another hand has added since; whatever else happened to the file is said when somebody appends.
  #look(): void {
    if (this.#log.news() !== "grown") return;
    this.#log.acknowledge();
    this.#reread();
  }

  #reread(): void {
    const sound =
      this.#lines instanceof FileLines
        ? soundFile(this.#log.file, this.#parts.ports.checksum, this.#parts.limits)
        : null;
    if (sound && this.#lines instanceof FileLines) {
      this.#lines.grownTo(sound);
      this.#unready = unreadySound(sound, this.#log.size);
      this.#damage = sound.damage;
    } else this.#adopt(this.#whole());
    this.#indexing = null;
  }

  #sound(sound: SoundFile): Found {
    const { header, rules, damage } = sound;
    return {
      lines: new FileLines(sound),
      header,
      ours: rules.ours,
      damage,
      unready: unreadySound(sound, this.#log.size),
    };
  }

  #whole(): Found {
    const { ports, limits } = this.#parts;
    const file = wholeFile(this.#log.file, { checksum: ports.checksum, limits });
    const header = file.header ?? newHeader({ cwd: "" }, ports);
    return {
      lines: new HeldLines(file.lines),
      header,
      ours: file.ours,
      damage: file.damage,
      unready: { type: "whole", file },
    };
  }

  #adopt({ lines, header, ours, damage, unready }: Found): void {
    this.#lines = lines;
    this.#header = header;
    this.#ours = ours;
    this.#damage = damage;
    this.#unready = unready;
  }

  async #index(): Promise<void> {
    if (this.#isIndexed() || !(this.#lines instanceof FileLines)) return;
    if (this.#lines.index.covers === this.#lines.start) this.#useKeptIndex(this.#lines);
    const building = this.#lines.complete();
    for (let step = building.next(); ; step = building.next()) {
      if (step.done && !step.value) this.#adopt(this.#whole());
      if (step.done) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#keepIndex();
  }

  #useKeptIndex(lines: FileLines): void {
    const kept = keptIndex(indexPath(this.path), this.#indexParts(lines));
    if (kept) lines.useIndex(kept);
    this.#keptUpTo = kept?.covers ?? 0;
  }

  // Short files are indexed faster than an index is read.
  #keepIndex(): void {
    const lines = this.#lines;
    if (!this.#lease?.holds() || !(lines instanceof FileLines) || !this.#isIndexed()) return;
    const { covers } = lines.index;
    if (covers - this.#keptUpTo < WORTH_KEEPING) return;
    keepIndex(indexPath(this.path), lines.index, this.#indexParts(lines));
    this.#keptUpTo = covers;
  }

  #indexParts(lines: FileLines): IndexParts {
    const { files, ports } = this.#parts;
    return { files, checksum: ports.checksum, file: this.#log.file, start: lines.start };
  }

  #refusal(): Refusal | null {
    if (!this.#lease) return "read-only";
    if (!this.#lease.holds()) return "lease-lost";
    if (this.#unready?.type === "whole" && isNewer(this.#unready.file)) return "newer-version";
    const news = this.#log.news();
    return news === "none" || news === "grown" ? null : news;
  }

  // LOG5, LOG14: the first append puts right what opening only found; until then the file is as it was.
  #makeAppendable(): void {
    const unready = this.#unready;
    if (!unready) return;
    if (unready.type === "whole" && unready.file.outdated) this.#migrate(unready.file);
    else this.#cutTorn(unready.type === "whole" ? this.#wholeEnd(unready.file) : unready.end);
    this.#unready = null;
  }

  #migrate(file: SessionFile): void {
    const { files, ports } = this.#parts;
    const { header, bytes } = migrated(file, this.#header, ports.checksum);
    replaceWhole(this.path, bytes, files);
    const log = new LogFile(this.path, files.open(this.path, "append"), files);
    this.#log.file.close();
    this.#log = log;
    this.#header = header;
    this.#ours = true;
  }

  #cutTorn(end: number): void {
    if (end >= this.#log.size) return;
    setAside(`${this.path}.damaged`, chunks(this.#log, end), this.#parts.files);
    this.#log.shorten(end);
  }

  #wholeEnd({ end }: SessionFile): number {
    const next = Buffer.alloc(1);
    return this.#log.file.read(next, end) === 1 && next[0] === LINE_END ? end + 1 : end;
  }

  #write(batch: readonly Entry[], texts: readonly string[]): Refusal | null {
    const { ports } = this.#parts;
    const durability = this.#ours ? this.#parts.durability : "durable";
    const { bytes, places } = encodedBatch(texts, {
      ours: this.#ours,
      checksum: ports.checksum,
      up: this.#up(batch[0]),
      run: durability === "fast" ? this.#log.unsynced : undefined,
      afterUnended: !this.#endsInLineEnd(),
    });
    const written = this.#log.append(bytes, { lines: texts.length, durability });
    if (written.type === "refused") return written.why;
    if (durability === "fast") this.#timer ??= this.#syncSoon();
    if (written.strayed) this.#reread();
    else
      this.#take(
        batch,
        texts,
        places.map(({ offset, length }) => ({ offset: written.offset + offset, length })),
      );
    return null;
  }

  #take(batch: readonly Entry[], texts: readonly string[], places: readonly Place[]): void {
    batch.forEach((entry, at) => {
      const place = places[at] ?? { offset: 0, length: 0 };
      if (this.#lines instanceof FileLines) this.#lines.take(entry, place);
      else this.#lines.take(entry, texts[at] ?? "");
    });
    if (this.#log.size - this.#keptUpTo > KEEP_EVERY) this.#keepIndex();
  }

  // MOVE2: where the line before is not the parent, the line says where the parent stands.
  #up(first: Entry | undefined): number | undefined {
    const parentId = first?.parentId ?? null;
    if (parentId === null || parentId === this.#lines.leaf || !(this.#lines instanceof FileLines)) return undefined;
    return this.#lines.offsetOf(parentId);
  }

  #endsInLineEnd(): boolean {
    const last = Buffer.alloc(1);
    return this.#log.file.read(last, this.#log.size - 1) === 0 || last[0] === LINE_END;
  }

  #syncSoon(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timer = null;
      this.#log.sync();
    }, SYNC_WITHIN);
    return timer.unref();
  }
}

interface Found {
  readonly lines: FileLines | HeldLines;
  readonly header: Header;
  readonly ours: boolean;
  readonly damage: readonly Damage[];
  readonly unready: Unready | null;
}

type Unready = { readonly type: "torn"; readonly end: number } | { readonly type: "whole"; readonly file: SessionFile };
type Place = { readonly offset: number; readonly length: number };

const LINE_END = 0x0a;
const WORTH_KEEPING = 1024 * 1024;
const KEEP_EVERY = 8 * 1024 * 1024;
/** Milliseconds; with the time a sync takes, still less than a second. */
const SYNC_WITHIN = 800;

function openedAs(as: "writer" | "follower" | "taker", path: string, parts: Settled): Opened {
  const { files, ports, processes } = parts;
  const found = files.stat(path);
  if (found && found.kind !== "file") return { type: "unavailable", code: "ENOTFILE", why: `${path} is not a file` };
  if (as === "follower")
    return { type: "opened", store: new JsonlStore(new LogFile(path, files.open(path, "read"), files), null, parts) };
  const file = files.open(path, "append");
  files.makeFolder(sideFolder(path));
  const leasing = takeLease(leasePath(path), {
    files,
    processes,
    now: ports.now,
    nonce: ports.nonce,
    takeOver: as === "taker",
  });
  if (leasing.type === "held") {
    file.close();
    return leasing;
  }
  return { type: "opened", store: new JsonlStore(new LogFile(path, file, files), leasing.lease, parts) };
}

function translated(path: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    const code = diskError(error);
    if (code === "") throw error;
    return {
      type: "unavailable",
      code,
      why: `${path} cannot be opened: ${error instanceof Error ? error.message : code}`,
    };
  }
}

function refusalOf(error: unknown): Refusal {
  const code = diskError(error);
  if (code === "") throw error;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return "disk-full";
  return ["EACCES", "EPERM", "EROFS"].includes(code) ? "not-writable" : "disk-error";
}

function withDefaults({
  files = realFiles,
  ports = machine,
  processes = realProcesses,
  limits = formatLimits,
  durability = "durable",
}: StoreParts): Settled {
  return { files, ports, processes, limits, durability };
}

function unreadySound({ end }: SoundFile, size: number): Unready | null {
  return end < size ? { type: "torn", end } : null;
}

function* chunks(log: LogFile, from: number): Generator<Uint8Array> {
  for (let at = from; at < log.size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(1024 * 1024, log.size - at));
    const count = log.file.read(chunk, at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
