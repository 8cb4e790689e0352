/** Implements `Files` in memory and fails on demand: at any operation, on a full disk, by a crash, by a power cut. */

import { diskErrorCode, type FileStat, type Files, ignoreMissing, type OpenFile } from "../../../src/node/files.ts";
import type { RandomSource } from "../seeded-random.ts";
import {
  appendContent,
  copyFileBytes,
  countUsedBytes,
  createDisk,
  createFileContent,
  type Disk,
  type FileInode,
  type Inode,
  lookUpPath,
  requireFolder,
  requireInode,
  splitPath,
  touch,
  truncateContent,
  walkFolder,
} from "./disk.ts";
import { CrashError, createErrnoError, type FileOperation, type FileOperationCall, toNodeError } from "./errors.ts";
import {
  createFile,
  createFolders,
  createLink,
  type Descriptor,
  linkPath,
  openDescriptor,
  readDescriptor,
  removeName,
  renamePath,
  requireWritable,
  statInode,
  syncDescriptor,
  syncNames,
} from "./operations.ts";
import { simulatePowerCut } from "./power-cut.ts";

/**
 * A disk in memory for tests. Use `crashAt`, then `restart` or `cutPower`, to end a process and start the next:
 *
 *     files.crashAt(n);
 *     expect(() => work(files)).toThrow(CrashError);
 *     files.cutPower(createSeededRandom(seed));
 */
export class FaultyFiles implements Files {
  readonly #disk = createDisk();
  readonly #faultPlan = createFaultPlan();
  readonly #openDescriptors = new Set<Descriptor>();
  readonly #log: string[] = [];
  #operations = 0;
  #isCrashed = false;
  #capacity = Number.POSITIVE_INFINITY;

  /** The number of calls so far, on the port and on open files; calls after a crash are not counted. */
  get operations(): number {
    return this.#operations;
  }

  /** The last calls as text (`append /s/a.jsonl 120`), with the error code if they failed. */
  get log(): readonly string[] {
    return this.#log;
  }

  get isCrashed(): boolean {
    return this.#isCrashed;
  }

  /** The free space in bytes; undefined for no limit. */
  get freeBytes(): number | undefined {
    return this.#capacity === Number.POSITIVE_INFINITY ? undefined : this.#countFreeBytes();
  }

  set freeBytes(bytes: number | undefined) {
    this.#capacity = countUsedBytes(this.#disk, this.#openInodes()) + (bytes ?? Number.POSITIVE_INFINITY);
  }

  /** Makes the nth operation from now (1 is the next) throw this code, once and without effect. */
  failAt(n: number, code: string): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "failure", code });
  }

  /** Makes every operation of these kinds throw this code until `clearFaults`. */
  failEvery(code: string, kinds: readonly FileOperation[]): void {
    for (const kind of kinds) this.#faultPlan.byOperation.set(kind, code);
  }

  /** Makes the nth operation from now, if it is an append, write only its first bytes. */
  tearAt(n: number, bytes: number, end: TearEnd = "throws"): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "tear", bytes, end });
  }

  /** Crashes the process at the nth operation from now: it has no effect, and it and all later ones throw `CrashError`. */
  crashAt(n: number): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "crash" });
  }

  /** Removes all planned and lasting faults; a crash that happened and the space limit stay. */
  clearFaults(): void {
    this.#faultPlan.byNumber.clear();
    this.#faultPlan.byOperation.clear();
  }

  /** Starts a new process after the old one was killed: everything written is there, no file is open. */
  restart(): void {
    this.#isCrashed = false;
    this.#openDescriptors.clear();
  }

  /** Starts a new process after a power cut: a random part of the unsynced data survives. */
  cutPower(random: RandomSource): void {
    this.restart();
    simulatePowerCut(this.#disk, random);
  }

  /** Adds a durable file and its parent folders; not counted as an operation. */
  addFile(path: string, bytes: Uint8Array): void {
    addTestFile(this.#disk, path, bytes);
  }

  /** Adds a symbolic link to itself; not counted as an operation. */
  addLink(path: string): void {
    addTestLink(this.#disk, path);
  }

  /** The content of a file; not counted as an operation. */
  readBytes(path: string): Uint8Array {
    return readFileBytes(this.#disk, path);
  }

  /** The sorted paths of all files and links; not counted as an operation. */
  listPaths(): string[] {
    return listFilePaths(this.#disk);
  }

  open(path: string, mode: "read" | "append"): OpenFile {
    const perform = () => this.#openFile(openDescriptor(this.#disk, path, mode));
    return this.#runOperation({ operation: "open", paths: [path], detail: mode }, perform);
  }

  create(path: string): OpenFile {
    const perform = () => this.#openFile({ inode: createFile(this.#disk, path), path, mode: "append" });
    return this.#runOperation({ operation: "create", paths: [path] }, perform);
  }

  stat(path: string): FileStat | null {
    const lookUp = () => ignoreMissing(() => statInode(requireInode(this.#disk, path)));
    return this.#runOperation({ operation: "stat", paths: [path] }, lookUp);
  }

  list(folder: string): readonly string[] {
    const lookUp = () => ignoreMissing(() => [...requireFolder(requireInode(this.#disk, folder)).names.keys()]);
    return this.#runOperation({ operation: "list", paths: [folder] }, lookUp) ?? [];
  }

  makeFolder(path: string): void {
    this.#runOperation({ operation: "makeFolder", paths: [path] }, () => createFolders(this.#disk, path));
  }

  rename(from: string, to: string): void {
    this.#runOperation({ operation: "rename", paths: [from, to] }, () => renamePath(this.#disk, from, to));
  }

  link(from: string, to: string): void {
    this.#runOperation({ operation: "link", paths: [from, to] }, () => linkPath(this.#disk, from, to));
  }

  remove(path: string): void {
    this.#runOperation({ operation: "remove", paths: [path] }, () => removeName(this.#disk, path));
  }

  syncFolder(path: string): void {
    const perform = () => syncNames(this.#disk, requireFolder(requireInode(this.#disk, path)));
    this.#runOperation({ operation: "syncFolder", paths: [path] }, perform);
  }

  #openFile(descriptor: Descriptor): OpenFile {
    this.#openDescriptors.add(descriptor);
    const perform = <Result>(operation: FileOperation, detail: number | "", run: (tear?: Tear) => Result): Result =>
      this.#runOperation({ operation, paths: [descriptor.path], isOpenFile: true, detail }, (tear) => {
        if (!this.#openDescriptors.has(descriptor)) throw createErrnoError("EBADF");
        return run(tear);
      });
    return {
      read: (into, position) => perform("read", position, () => readDescriptor(descriptor, into, position)),
      append: (bytes) => perform("append", bytes.length, (tear) => this.#append(descriptor, bytes, tear)),
      truncate: (size) => perform("truncate", size, () => this.#truncate(descriptor, size)),
      sync: () => perform("sync", "", () => syncDescriptor(descriptor, this.#disk)),
      stat: () => perform("stat", "", () => statInode(descriptor.inode)),
      close: () => perform("close", "", () => void this.#openDescriptors.delete(descriptor)),
    };
  }

  #append(descriptor: Descriptor, bytes: Uint8Array, tear: Tear | undefined): number {
    const file = requireWritable(descriptor, "EBADF");
    const acceptedBytes = bytes.subarray(0, Math.min(tear?.bytes ?? bytes.length, this.#countFreeBytes()));
    if (acceptedBytes.length === 0 && bytes.length > 0 && !tear) throw createErrnoError("ENOSPC");
    appendContent(file.content, acceptedBytes);
    touch(this.#disk, file);
    if (tear?.end === "throws") throw createErrnoError("ENOSPC");
    if (tear?.end === "crashes") throw this.#crash();
    return acceptedBytes.length;
  }

  #truncate(descriptor: Descriptor, size: number): void {
    const file = requireWritable(descriptor, "EINVAL");
    // A hole takes space here, unlike on most disks, so that truncating never frees more than was used.
    if (size - file.content.size > this.#countFreeBytes()) throw createErrnoError("ENOSPC");
    truncateContent(file.content, size);
    touch(this.#disk, file);
  }

  #runOperation<Result>(call: FileOperationCall, run: (tear?: Tear) => Result): Result {
    if (this.#isCrashed) throw new CrashError();
    this.#operations++;
    const fault = takeFault(this.#faultPlan, this.#operations, call.operation);
    try {
      if (fault?.type === "crash") throw this.#crash();
      if (fault?.type === "failure") throw createErrnoError(fault.code);
      const result = run(fault);
      this.#logCall(call, call.operation === "append" && result !== call.detail ? `only ${result}` : "");
      return result;
    } catch (error) {
      this.#logCall(call, this.#isCrashed ? "crashed" : diskErrorCode(error));
      throw toNodeError(error, call);
    }
  }

  #logCall({ operation, paths, detail = "" }: FileOperationCall, outcome: string): void {
    this.#log.push([operation, ...paths, detail, outcome].filter((part) => part !== "").join(" "));
    if (this.#log.length > MAX_LOG_LINES) this.#log.shift();
  }

  #crash(): CrashError {
    this.#isCrashed = true;
    return new CrashError();
  }

  #countFreeBytes(): number {
    if (this.#capacity === Number.POSITIVE_INFINITY) return this.#capacity;
    return Math.max(0, this.#capacity - countUsedBytes(this.#disk, this.#openInodes()));
  }

  #openInodes(): Descriptor["inode"][] {
    return [...this.#openDescriptors].map(({ inode }) => inode);
  }
}

const MAX_LOG_LINES = 1000;

export type Fault =
  | { readonly type: "failure"; readonly code: string }
  | { readonly type: "crash" }
  | ({ readonly type: "tear" } & Tear);

export interface Tear {
  /** How many bytes of an append are written. */
  readonly bytes: number;
  readonly end: TearEnd;
}

/** After the tear: ENOSPC is thrown, the short count is returned, or the process dies. */
export type TearEnd = "throws" | "short" | "crashes";

export interface FaultPlan {
  /** By the number of the operation. */
  readonly byNumber: Map<number, Fault>;
  /** The code that every operation of a kind throws. */
  readonly byOperation: Map<FileOperation, string>;
}

function createFaultPlan(): FaultPlan {
  return { byNumber: new Map(), byOperation: new Map() };
}

/** Takes the fault of this operation; a planned fault is removed from the plan. */
function takeFault({ byNumber, byOperation }: FaultPlan, number: number, operation: FileOperation): Fault | undefined {
  const fault = byNumber.get(number);
  byNumber.delete(number);
  if (fault) return fault;
  const code = byOperation.get(operation);
  return code === undefined ? undefined : { type: "failure", code };
}

function addTestFile(disk: Disk, path: string, bytes: Uint8Array): void {
  withNodeErrors({ operation: "create", paths: [path] }, () => {
    withFoldersSynced(disk, path, () => {
      const file = requireFile(lookUpPath(disk, path).inode ?? createFile(disk, path));
      file.content = createFileContent(bytes);
      touch(disk, file);
    });
  });
}

function addTestLink(disk: Disk, path: string): void {
  withNodeErrors({ operation: "create", paths: [path] }, () =>
    withFoldersSynced(disk, path, () => createLink(disk, path)),
  );
}

function readFileBytes(disk: Disk, path: string): Uint8Array {
  return withNodeErrors({ operation: "open", paths: [path] }, () =>
    copyFileBytes(requireFile(requireInode(disk, path)).content),
  );
}

function listFilePaths(disk: Disk): string[] {
  const inodes = [...walkFolder(disk.root)].filter(([, inode]) => inode.kind !== "folder");
  return inodes.map(([path]) => path).sort();
}

function withFoldersSynced(disk: Disk, path: string, run: () => void): void {
  const folders = createFolders(disk, splitPath(path).slice(0, -1).join("/"));
  run();
  for (const folder of folders) syncNames(disk, folder);
}

function requireFile(inode: Inode): FileInode {
  if (inode.kind === "folder") throw createErrnoError("EISDIR");
  if (inode.kind === "other") throw createErrnoError("ELOOP");
  return inode;
}

function withNodeErrors<Result>(call: FileOperationCall, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw toNodeError(error, call);
  }
}
