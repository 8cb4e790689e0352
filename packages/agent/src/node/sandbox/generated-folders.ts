/**
 * Gives commands a copy of folders that a tool generates again and again inside a guarded folder: `npm install` runs husky, which rewrites
 * `.husky/_`. The real folder stays as it is, so that git outside the sandbox runs nothing that a command wrote.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "../../text.ts";
import type { Mount } from "./mounts.ts";
import { resolveExistingPath } from "./options.ts";
import { createThrowawayFolder } from "./private-folders.ts";
import { readTree } from "./read-tree.ts";

/** The copies of one sandbox. */
export class GeneratedFolders {
  readonly #privateHome: string;
  readonly #copies = new Map<string, string | null>();

  constructor(privateHome: string) {
    this.#privateHome = privateHome;
  }

  /** Only real folders in the workspace are copied. */
  createMounts(paths: readonly string[], root: string): readonly Mount[] {
    const folders = paths.filter((path) => isWithin(root, path) && resolveExistingPath(path) === path);
    return folders.flatMap((path) => {
      const source = this.#copies.get(path) ?? this.#copy(path);
      this.#copies.set(path, source);
      return source === null ? [] : [{ path, access: "writable", source } as const];
    });
  }

  /** Null if it is not a folder with a few small files. */
  #copy(path: string): string | null {
    const tree = readTree(path);
    if (tree === null || tree.files.some(({ path: file, kind }) => kind === "link" || dirname(file) !== path))
      return null;
    const copy = join(createThrowawayFolder(this.#privateHome), basename(path));
    mkdirSync(copy, { mode: 0o700 });
    for (const { path: file, content } of tree.files)
      writeFileSync(join(copy, relative(path, file)), content, { mode: 0o755, flag: "wx" });
    return copy;
  }
}
