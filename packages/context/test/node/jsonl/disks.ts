/** Provides disks for tests: one in memory that can lose power, the real one with failures on demand, and one that counts what is read. */

import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Files, type OpenFile, realFiles } from "../../../src/node/files.ts";
import type { FileOperation } from "../../support/faulty-files/errors.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";

/** What both can do wrong. */
export type Refusing = Files &
  Pick<FaultyFiles, "failAt" | "failEvery" | "clearFaults" | "log" | "operations" | "freeBytes">;

export interface Disk {
  readonly files: Refusing;
  /** A path of its own, in a folder that is there. */
  readonly path: string;
  put(path: string, bytes: Uint8Array): void;
  bytes(path: string): Uint8Array;
  has(path: string): boolean;
}

export const disks: readonly (readonly [name: string, disk: () => Disk])[] = [
  ["in memory", memoryDisk],
  ["real", realDisk],
];

export function memoryDisk(): Disk & { readonly files: FaultyFiles } {
  const files = new FaultyFiles();
  files.addFile("/sessions/other.txt", new Uint8Array());
  return {
    files,
    path: "/sessions/s.jsonl",
    put: (path, bytes) => files.addFile(path, bytes),
    bytes: (path) => files.readBytes(path),
    has: (path) => files.listPaths().includes(path),
  };
}

/** Nobody waits for it: what a power cut would take is tried in memory, and thousands of syncs would take minutes. */
function realDisk(): Disk {
  const folder = temporaryFolder();
  const files = new RefusingFiles();
  files.hastens = true;
  return {
    files,
    path: join(folder, "s.jsonl"),
    put: (path, bytes) => writeFileSync(path, bytes),
    bytes: (path) => Uint8Array.from(readFileSync(path)),
    has: (path) => realFiles.stat(path) !== null,
  };
}

/** Gone with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pith-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Act = (...given: never) => unknown;

/** The real disk, with refusals put in; what it is not told to refuse is done. */
export class RefusingFiles implements Refusing {
  readonly log: string[] = [];
  operations = 0;
  freeBytes: number | undefined = undefined;
  /** Whether it says that all is on the disk before it is. */
  hastens = false;
  readonly #planned = new Map<number, string>();
  readonly #lasting = new Map<FileOperation, string>();

  failAt(n: number, code: string): void {
    this.#planned.set(this.operations + n, code);
  }

  failEvery(code: string, kinds: readonly FileOperation[]): void {
    for (const kind of kinds) this.#lasting.set(kind, code);
  }

  clearFaults(): void {
    this.#planned.clear();
    this.#lasting.clear();
  }

  readonly open = this.#watched("open", (path: string, how: "read" | "append") =>
    this.#opened(path, realFiles.open(path, how)),
  );
  readonly create = this.#watched("create", (path: string) => this.#opened(path, realFiles.create(path)));
  readonly stat = this.#watched("stat", realFiles.stat);
  readonly list = this.#watched("list", realFiles.list);
  readonly makeFolder = this.#watched("makeFolder", realFiles.makeFolder);
  readonly rename = this.#watched("rename", realFiles.rename);
  readonly link = this.#watched("link", realFiles.link);
  readonly syncFolder = this.#watched("syncFolder", (path: string) => {
    if (!this.hastens) realFiles.syncFolder(path);
  });
  readonly remove = this.#watched("remove", (path: string) => {
    const { nlink, size } = lstatSync(path);
    realFiles.remove(path);
    if (nlink === 1) this.#giveBack(size);
  });

  #opened(path: string, file: OpenFile): OpenFile {
    const watched = <Watched extends Act>(operation: FileOperation, act: Watched): Watched =>
      this.#watched(operation, act, path);
    return {
      read: watched("read", file.read),
      append: watched("append", (bytes: Uint8Array) => this.#append(file, bytes)),
      truncate: watched("truncate", (size: number) => {
        const before = file.stat().size;
        file.truncate(size);
        this.#giveBack(before - size);
      }),
      sync: watched("sync", () => {
        if (!this.hastens) file.sync();
      }),
      stat: watched("stat", file.stat),
      close: watched("close", () => file.close()),
    };
  }

  #append(file: OpenFile, bytes: Uint8Array): number {
    const arriving = bytes.subarray(0, Math.min(bytes.length, this.freeBytes ?? bytes.length));
    if (arriving.length === 0 && bytes.length > 0) throw createDiskError("ENOSPC");
    const arrived = file.append(arriving);
    this.#giveBack(-arrived);
    return arrived;
  }

  #giveBack(bytes: number): void {
    if (this.freeBytes !== undefined) this.freeBytes += bytes;
  }

  #watched<Watched extends Act>(operation: FileOperation, act: Watched, opened?: string): Watched {
    const watched = (...given: readonly unknown[]): unknown => {
      this.operations++;
      const code = this.#planned.get(this.operations) ?? this.#lasting.get(operation);
      this.#planned.delete(this.operations);
      this.log.push(`${operation} ${opened ?? String(given[0])}${code ? ` ${code}` : ""}`);
      if (code) throw createDiskError(code);
      return Reflect.apply(act, undefined, given);
    };
    return watched as unknown as Watched;
  }
}

function createDiskError(code: string): Error {
  return Object.assign(new Error(`${code}: put in by a test`), { code });
}

/** As `toEqual`, but fast; shows both as text where they differ. */
export function expectBytes(found: Uint8Array, wanted: Uint8Array): void {
  if (Buffer.compare(found, wanted) !== 0)
    expect(Buffer.from(found).toString("latin1")).toBe(Buffer.from(wanted).toString("latin1"));
}

export function counting(files: Files): { readonly files: Files; bytes(): number; reads(): number } {
  let [bytes, reads] = [0, 0];
  const open: Files["open"] = (name, how) => {
    const file = files.open(name, how);
    const counted: OpenFile = {
      read: (into, position) => {
        const count = file.read(into, position);
        bytes += count;
        reads += 1;
        return count;
      },
      append: (more) => file.append(more),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      stat: () => file.stat(),
      close: () => file.close(),
    };
    return counted;
  };
  const forwarded: Files = {
    open,
    create: (name) => files.create(name),
    stat: (name) => files.stat(name),
    list: (name) => files.list(name),
    makeFolder: (name) => files.makeFolder(name),
    rename: (from, to) => files.rename(from, to),
    link: (from, to) => files.link(from, to),
    remove: (name) => files.remove(name),
    syncFolder: (name) => files.syncFolder(name),
  };
  return { files: forwarded, bytes: () => bytes, reads: () => reads };
}
