/** Watches a folder with inotify and collects every name that appears or disappears in it, at any depth. */

import { type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";

export class NameWatch {
  /** Paths in the folder. A name that lived only for a moment is among them. */
  readonly names = new Set<string>();
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(root: string) {
    this.#root = root;
    this.#watchFolder("");
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #watchFolder(path: string): void {
    const folder = join(this.#root, path);
    try {
      const watcher = watch(folder, (_, name) => name !== null && this.#add(join(path, name)));
      watcher.on("error", () => watcher.close());
      this.#watchers.get(path)?.close();
      this.#watchers.set(path, watcher);
      // What was made before the watch began.
      for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
        this.#watchFolder(join(path, name));
    } catch (error) {
      // The folder is gone again. Its name has been collected.
      if (!isMissing(error)) throw error;
    }
  }

  #add(path: string): void {
    this.names.add(path);
    const isFolder = lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder && !this.#watchers.has(path)) this.#watchFolder(path);
  }
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(String(Object(error).code));
