/** Reads git objects from `git cat-file --batch`, and accepts only those whose content has the id that was requested. */

import type { ChildProcessByStdio } from "node:child_process";
import { createHash } from "node:crypto";
import type { Readable, Writable } from "node:stream";

export interface GitObject {
  readonly type: string;
  readonly content: Buffer;
}

const MAX_OBJECT_BYTES = 8 * 1024 * 1024;

/** One call at a time. */
export class ObjectReader {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #trees = new Map<string, ReadonlyMap<string, string> | null>();
  #received = Buffer.alloc(0);
  #hasEnded = false;
  #wake = (): void => {};

  constructor(process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = process;
    const end = (): void => {
      this.#hasEnded = true;
      this.#wake();
    };
    process.on("error", end).on("close", end);
    process.stdin.on("error", end);
    process.stdout.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
  }

  /** For each id the object; null if it is missing, is too large or has another id. */
  async read(ids: readonly string[]): Promise<readonly (GitObject | null)[]> {
    if (!this.#hasEnded) this.#process.stdin.write(ids.map((id) => `${id}\n`).join(""));
    const objects: (GitObject | null)[] = [];
    for (const id of ids) objects.push(await this.#receive(id));
    return objects;
  }

  async #receive(id: string): Promise<GitObject | null> {
    const header = (await this.#take(() => this.#received.indexOf("\n") + 1))?.toString("latin1").trim();
    const [, type = "", size = ""] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header ?? "") ?? [];
    if (type === "") return null;
    const length = Number(size) + 1;
    if (length > MAX_OBJECT_BYTES) this.close();
    const content = (await this.#take(() => (this.#received.length < length ? 0 : length)))?.subarray(0, -1);
    return content !== undefined && hasId(content, type, id) ? { type, content } : null;
  }

  /** For each folder the ids of its entries by name; null if it is not a readable tree. */
  async readTrees(ids: readonly string[]): Promise<readonly (ReadonlyMap<string, string> | null)[]> {
    const missing = [...new Set(ids)].filter((id) => !this.#trees.has(id));
    const objects = await this.read(missing);
    for (const [at, id] of missing.entries()) {
      const object = objects[at];
      this.#trees.set(id, object?.type === "tree" ? parseTree(object.content, id.length / 2) : null);
    }
    return ids.map((id) => this.#trees.get(id) ?? null);
  }

  close(): void {
    this.#hasEnded = true;
    this.#process.kill("SIGKILL");
    this.#wake();
  }

  /** Takes the bytes up to the length that is returned; waits while that is 0. Null if the program ends before. */
  async #take(measure: () => number): Promise<Buffer | null> {
    for (let length = measure(); ; length = measure()) {
      if (length > 0) {
        const taken = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return taken;
      }
      if (this.#hasEnded) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

function hasId(content: Buffer, type: string, id: string): boolean {
  const algorithm = id.length === 40 ? "sha1" : "sha256";
  return createHash(algorithm).update(`${type} ${content.length}\0`).update(content).digest("hex") === id;
}

/** Each entry: the mode, a space, the name, a zero byte, the id in bytes. */
function parseTree(content: Buffer, idBytes: number): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(" ", start);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) break;
    entries.set(content.toString("utf8", space + 1, end), content.toString("hex", end + 1, end + 1 + idBytes));
    start = end + 1 + idBytes;
  }
  return entries;
}
