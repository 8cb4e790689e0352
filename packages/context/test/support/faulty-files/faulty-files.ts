/** Implements `Files` in memory and fails on demand: at any operation, on a full disk, by a crash, by a power cut. */

import { diskErrorCode, type FileStat, type Files, ignoreMissing, type OpenFile } from "../../../src/node/files.ts";
import { appendContent, truncateContent } from "./content.ts";
import {
  type Descriptor,
  openDescriptor,
  readDescriptor,
  requireWritable,
  statInode,
  syncDescriptor,
} from "./descriptor.ts";
import { countUsedBytes, createDisk, requireFolder, requireInode, touch } from "./disk.ts";
import { createFaultPlan, type Tear, type TearEnd, takeFault } from "./faults.ts";
import { createFile, createFolders, linkPath, removeName, renamePath, syncNames } from "./name-changes.ts";
import { addTestFile, addTestLink, listFilePaths, readFileBytes } from "./planting.ts";
import { type RandomSource, simulatePowerCut } from "./power-cut.ts";
import { CrashError, createErrnoError, type FileOperation, type FileOperationCall, toNodeError } from "./refusal.ts";

/**
 * A disk for tests. `crashAt`, then `restart` or `powerCut`, is how a process ends and the next begins:
 *
 *     files.crashAt(n);
 *     expect(() => work(files)).toThrow(Crashed);
 *     files.powerCut(seededChance(seed));
 */
export class FaultyFiles implements Files {
  readonly #disk = createDisk();
  readonly #faultPlan = createFaultPlan();
  readonly #openDescriptors = new Set<Descriptor>();
  readonly #log: string[] = [];
  #operations = 0;
  #isCrashed = false;
  #capacity = Number.POSITIVE_INFINITY;

  /** How many calls there were, of the port and of its open files; none is counted after a crash. */
  get operations(): number {
    return this.#operations;
  }

  /** The last calls in words (`append /s/a.jsonl 120`), with the code of those that failed. */
  get log(): readonly string[] {
    return this.#log;
  }

  get isCrashed(): boolean {
    return this.#isCrashed;
  }

  /** How many bytes the disk still takes; undefined for endless. */
  get freeBytes(): number | undefined {
    return this.#capacity === Number.POSITIVE_INFINITY ? undefined : this.#countFreeBytes();
  }

  set freeBytes(bytes: number | undefined) {
    this.#capacity = countUsedBytes(this.#disk, this.#openInodes()) + (bytes ?? Number.POSITIVE_INFINITY);
  }

  /** The nth operation from now (1 is the next) throws this code, once and without effect. */
  failAt(n: number, code: string): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "failure", code });
  }

  /** Every operation of these kinds throws this code until `heal`. */
  failEvery(code: string, kinds: readonly FileOperation[]): void {
    for (const kind of kinds) this.#faultPlan.byOperation.set(kind, code);
  }

  /** The nth operation from now, if it is an append, writes only its first bytes. */
  tearAt(n: number, bytes: number, end: TearEnd = "throws"): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "tear", bytes, end });
  }

  /** The nth operation from now has no effect any more; it and all after it throw `Crashed`. */
  crashAt(n: number): void {
    this.#faultPlan.byNumber.set(this.#operations + n, { type: "crash" });
  }

  /** Takes back all faults that last or are yet to come; a crash that happened stays, and so does the room. */
  clearFaults(): void {
    this.#faultPlan.byNumber.clear();
    this.#faultPlan.byOperation.clear();
  }

  /** A new process after the old one was killed: all that was written is there, nothing is open. */
  restart(): void {
    this.#isCrashed = false;
    this.#openDescriptors.clear();
  }

  /** A new process after the machine lost power: what was not synced survives as chance will have it. */
  cutPower(random: RandomSource): void {
    this.restart();
    simulatePowerCut(this.#disk, random);
  }

  /** Plants a file that survives everything, with the folders above it; not an operation. */
  addFile(path: string, bytes: Uint8Array): void {
    addTestFile(this.#disk, path, bytes);
  }

  /** Plants a symbolic link that leads only to itself; not an operation. */
  addLink(path: string): void {
    addTestLink(this.#disk, path);
  }

  /** What a file holds now; not an operation. */
  readBytes(path: string): Uint8Array {
    return readFileBytes(this.#disk, path);
  }

  /** Of all files and links, sorted; not an operation. */
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
    // On most disks a hole takes no room; here it does, so that shrinking gives back no more than was taken.
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
