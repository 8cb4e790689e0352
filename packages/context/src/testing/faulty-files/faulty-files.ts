/** Implements `Files` in memory and fails on demand: at any operation, on a full disk, by a crash, by a power cut. */

import { diskError, type FileStat, type Files, type OpenFile, orNothing } from "../../node/files.ts";
import { appendContent, truncateContent } from "./content.ts";
import { type Descriptor, descriptorOf, readFrom, statOf, syncThrough, writable } from "./descriptor.ts";
import { asFolder, inodeAt, newDisk, touch, used } from "./disk.ts";
import { dueFault, noFaults, type Tear, type TearEnd } from "./faults.ts";
import { createFile, linkTo, makeFolders, removeName, renameTo, syncNames } from "./name-changes.ts";
import { bytesAt, pathsOn, plantFile, plantLink } from "./planting.ts";
import { type Chance, cutPower } from "./power-cut.ts";
import { type Call, Crashed, type Operation, refusal, worded } from "./refusal.ts";

/**
 * A disk for tests. `crashAt`, then `restart` or `powerCut`, is how a process ends and the next begins:
 *
 *     files.crashAt(n);
 *     expect(() => work(files)).toThrow(Crashed);
 *     files.powerCut(seededChance(seed));
 */
export class FaultyFiles implements Files {
  readonly #disk = newDisk();
  readonly #faults = noFaults();
  readonly #open = new Set<Descriptor>();
  readonly #log: string[] = [];
  #operations = 0;
  #crashed = false;
  #capacity = Number.POSITIVE_INFINITY;

  /** How many calls there were, of the port and of its open files; none is counted after a crash. */
  get operations(): number {
    return this.#operations;
  }

  /** The last calls in words (`append /s/a.jsonl 120`), with the code of those that failed. */
  get log(): readonly string[] {
    return this.#log;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  /** How many bytes the disk still takes; undefined for endless. */
  get room(): number | undefined {
    return this.#capacity === Number.POSITIVE_INFINITY ? undefined : this.#room();
  }

  set room(bytes: number | undefined) {
    this.#capacity = used(this.#disk, this.#openInodes()) + (bytes ?? Number.POSITIVE_INFINITY);
  }

  /** The nth operation from now (1 is the next) throws this code, once and without effect. */
  failAt(n: number, code: string): void {
    this.#faults.planned.set(this.#operations + n, { type: "failure", code });
  }

  /** Every operation of these kinds throws this code until `heal`. */
  failEvery(code: string, kinds: readonly Operation[]): void {
    for (const kind of kinds) this.#faults.lasting.set(kind, code);
  }

  /** The nth operation from now, if it is an append, writes only its first bytes. */
  tearAt(n: number, bytes: number, end: TearEnd = "throws"): void {
    this.#faults.planned.set(this.#operations + n, { type: "tear", bytes, end });
  }

  /** The nth operation from now has no effect any more; it and all after it throw `Crashed`. */
  crashAt(n: number): void {
    this.#faults.planned.set(this.#operations + n, { type: "crash" });
  }

  /** Takes back all faults that last or are yet to come; a crash that happened stays, and so does the room. */
  heal(): void {
    this.#faults.planned.clear();
    this.#faults.lasting.clear();
  }

  /** A new process after the old one was killed: all that was written is there, nothing is open. */
  restart(): void {
    this.#crashed = false;
    this.#open.clear();
  }

  /** A new process after the machine lost power: what was not synced survives as chance will have it. */
  powerCut(chance: Chance): void {
    this.restart();
    cutPower(this.#disk, chance);
  }

  /** Plants a file that survives everything, with the folders above it; not an operation. */
  write(path: string, bytes: Uint8Array): void {
    plantFile(this.#disk, path, bytes);
  }

  /** Plants a symbolic link that leads only to itself; not an operation. */
  plantLink(path: string): void {
    plantLink(this.#disk, path);
  }

  /** What a file holds now; not an operation. */
  contents(path: string): Uint8Array {
    return bytesAt(this.#disk, path);
  }

  /** Of all files and links, sorted; not an operation. */
  paths(): string[] {
    return pathsOn(this.#disk);
  }

  open(path: string, how: "read" | "append"): OpenFile {
    const act = () => this.#opened(descriptorOf(this.#disk, path, how));
    return this.#act({ operation: "open", paths: [path], detail: how }, act);
  }

  create(path: string): OpenFile {
    const act = () => this.#opened({ inode: createFile(this.#disk, path), path, how: "append" });
    return this.#act({ operation: "create", paths: [path] }, act);
  }

  stat(path: string): FileStat | null {
    const look = () => orNothing(() => statOf(inodeAt(this.#disk, path)));
    return this.#act({ operation: "stat", paths: [path] }, look);
  }

  list(folder: string): readonly string[] {
    const look = () => orNothing(() => [...asFolder(inodeAt(this.#disk, folder)).names.keys()]);
    return this.#act({ operation: "list", paths: [folder] }, look) ?? [];
  }

  makeFolder(path: string): void {
    this.#act({ operation: "makeFolder", paths: [path] }, () => makeFolders(this.#disk, path));
  }

  rename(from: string, to: string): void {
    this.#act({ operation: "rename", paths: [from, to] }, () => renameTo(this.#disk, from, to));
  }

  link(from: string, to: string): void {
    this.#act({ operation: "link", paths: [from, to] }, () => linkTo(this.#disk, from, to));
  }

  remove(path: string): void {
    this.#act({ operation: "remove", paths: [path] }, () => removeName(this.#disk, path));
  }

  syncFolder(path: string): void {
    const act = () => syncNames(this.#disk, asFolder(inodeAt(this.#disk, path)));
    this.#act({ operation: "syncFolder", paths: [path] }, act);
  }

  #opened(descriptor: Descriptor): OpenFile {
    this.#open.add(descriptor);
    const act = <Result>(operation: Operation, detail: number | "", run: (tear?: Tear) => Result): Result =>
      this.#act({ operation, paths: [descriptor.path], opened: true, detail }, (tear) => {
        if (!this.#open.has(descriptor)) throw refusal("EBADF");
        return run(tear);
      });
    return {
      read: (into, position) => act("read", position, () => readFrom(descriptor, into, position)),
      append: (bytes) => act("append", bytes.length, (tear) => this.#append(descriptor, bytes, tear)),
      truncate: (size) => act("truncate", size, () => this.#truncate(descriptor, size)),
      sync: () => act("sync", "", () => syncThrough(descriptor, this.#disk)),
      stat: () => act("stat", "", () => statOf(descriptor.inode)),
      close: () => act("close", "", () => void this.#open.delete(descriptor)),
    };
  }

  #append(descriptor: Descriptor, bytes: Uint8Array, tear: Tear | undefined): number {
    const file = writable(descriptor, "EBADF");
    const arriving = bytes.subarray(0, Math.min(tear?.bytes ?? bytes.length, this.#room()));
    if (arriving.length === 0 && bytes.length > 0 && !tear) throw refusal("ENOSPC");
    appendContent(file.content, arriving);
    touch(this.#disk, file);
    if (tear?.end === "throws") throw refusal("ENOSPC");
    if (tear?.end === "crashes") throw this.#crash();
    return arriving.length;
  }

  #truncate(descriptor: Descriptor, size: number): void {
    const file = writable(descriptor, "EINVAL");
    // On most disks a hole takes no room; here it does, so that shrinking gives back no more than was taken.
    if (size - file.content.size > this.#room()) throw refusal("ENOSPC");
    truncateContent(file.content, size);
    touch(this.#disk, file);
  }

  #act<Result>(call: Call, run: (tear?: Tear) => Result): Result {
    if (this.#crashed) throw new Crashed();
    this.#operations++;
    const fault = dueFault(this.#faults, this.#operations, call.operation);
    try {
      if (fault?.type === "crash") throw this.#crash();
      if (fault?.type === "failure") throw refusal(fault.code);
      const result = run(fault);
      this.#note(call, call.operation === "append" && result !== call.detail ? `only ${result}` : "");
      return result;
    } catch (error) {
      this.#note(call, this.#crashed ? "crashed" : diskError(error));
      throw worded(error, call);
    }
  }

  #note({ operation, paths, detail = "" }: Call, outcome: string): void {
    this.#log.push([operation, ...paths, detail, outcome].filter((word) => word !== "").join(" "));
    if (this.#log.length > LOGGED) this.#log.shift();
  }

  #crash(): Crashed {
    this.#crashed = true;
    return new Crashed();
  }

  #room(): number {
    if (this.#capacity === Number.POSITIVE_INFINITY) return this.#capacity;
    return Math.max(0, this.#capacity - used(this.#disk, this.#openInodes()));
  }

  #openInodes(): Descriptor["inode"][] {
    return [...this.#open].map(({ inode }) => inode);
  }
}

const LOGGED = 1000;
