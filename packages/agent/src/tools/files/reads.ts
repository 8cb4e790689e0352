/** What the model knows of the files: a hash of each as it last saw or wrote it, and whose turn it is at a file. */

import { hashOf } from "../../bytes/hash-of.ts";

export type Knowledge = "fresh" | "stale" | "unread";

export class Reads {
  #hashes: Map<string, string>;
  readonly #turns = new Map<string, Promise<unknown>>();

  /** With what is known from before, as the details of earlier results have it: absolute paths and their hashes. */
  constructor(known: Iterable<readonly [path: string, hash: string]> = []) {
    this.#hashes = new Map(known);
  }

  /** For a model that stands elsewhere now: what it saw on a branch that was left, it has not seen here. */
  relearn(known: Iterable<readonly [path: string, hash: string]>): void {
    this.#hashes = new Map(known);
  }

  /** Keeps that the model saw these bytes; their hash. */
  async remember(path: string, bytes: Uint8Array): Promise<string> {
    const hash = await hashOf(bytes);
    this.#hashes.set(path, hash);
    return hash;
  }

  /** Whether the bytes at a path are those the model last saw. */
  async knowledge(path: string, bytes: Uint8Array): Promise<Knowledge> {
    const known = this.#hashes.get(path);
    if (known === undefined) return "unread";
    return known === (await hashOf(bytes)) ? "fresh" : "stale";
  }

  /** Runs an act when all earlier ones at the same path have ended: the calls of one reply run at once. */
  async inTurn<Outcome>(path: string, act: () => Promise<Outcome>): Promise<Outcome> {
    const mine = (this.#turns.get(path) ?? Promise.resolve()).then(act);
    // Whoever comes next waits for the end, however it ends.
    const ended = mine.catch(() => undefined);
    this.#turns.set(path, ended);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(path) === ended) this.#turns.delete(path);
    }
  }
}
