/**
 * Finds out whether a file is the same as in a commit or stash that existed before the first command of a session: checking out such a
 * commit makes nothing new. Commands can write to the repository, so the content of each object is compared with its id, and references
 * are those of the beginning.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isWithin } from "../../text.ts";
import { type GitObject, ObjectReader } from "./git-objects.ts";
import { readTextIfFile } from "./git-paths.ts";
import type { TreeFile } from "./read-tree.ts";

/** A git repository with a working tree. */
export interface WorkingTree {
  /** The folder of the files. */
  readonly root: string;
  /** The folder with `HEAD`. */
  readonly gitFolder: string;
  /** The folder with `objects` and `refs`: the same, except in a worktree. */
  readonly commonFolder: string;
  /** The program to run; absolute. */
  readonly git: string;
}

const MAX_REFERENCES = 2_000;
/** Limits how far back the history is read, the newest commits first. */
const MAX_COMMITS = 1_000;

export class CommittedFiles {
  readonly #workingTree: WorkingTree;
  /** The commits that references named at the beginning. */
  readonly #tips: readonly string[];

  constructor(workingTree: WorkingTree) {
    this.#workingTree = workingTree;
    this.#tips = readReferences(workingTree);
  }

  /** The files at or below a path with the content that a commit has at the same path. */
  async findCommitted(path: string, files: readonly TreeFile[]): Promise<ReadonlySet<TreeFile>> {
    const { root, git, commonFolder } = this.#workingTree;
    const committed = new Set<TreeFile>();
    if (this.#tips.length === 0 || !isWithin(root, path)) return committed;
    const wanted = files.map((file) => ({ file, names: relative(root, file.path).split("/"), ids: listBlobIds(file) }));
    const env = gitEnvironment(commonFolder);
    const reader = new ObjectReader(
      spawn(git, ["cat-file", "--batch"], { cwd: "/", env, stdio: ["pipe", "pipe", "ignore"] }),
    );
    try {
      for await (const trees of readRootTrees(reader, this.#tips)) {
        if ((await findEntries(reader, trees, relative(root, path).split("/"))).length === 0) continue;
        for (const { file, names, ids } of wanted.filter((each) => !committed.has(each.file)))
          if ((await findEntries(reader, trees, names)).some((id) => ids.includes(id))) committed.add(file);
        if (committed.size === files.length) break;
      }
    } finally {
      reader.close();
    }
    return committed;
  }
}

/** The user's configuration and replacements that a command made in the repository have no effect. */
function gitEnvironment(commonFolder: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    GIT_DIR: commonFolder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
}

function readReferences({ gitFolder, commonFolder }: WorkingTree): readonly string[] {
  const looseTexts: string[] = [readTextIfFile(join(gitFolder, "HEAD")), readTextIfFile(join(gitFolder, "ORIG_HEAD"))];
  for (const file of listFiles(join(commonFolder, "refs"))) looseTexts.push(readTextIfFile(file));
  const packed = readTextIfFile(join(commonFolder, "packed-refs"));
  const stashes = readTextIfFile(join(commonFolder, "logs/refs/stash"));
  const ids = [
    ...looseTexts.flatMap((text) => /^[0-9a-f]{40,64}$/.exec(text.trim()) ?? []),
    ...[...packed.matchAll(/^\^?([0-9a-f]{40,64})\b/gm)].map(([, id = ""]) => id),
    // Each line: the old id, the new id, who, when.
    ...[...stashes.matchAll(/^[0-9a-f]+ ([0-9a-f]{40,64}) /gm)].map(([, id = ""]) => id),
  ];
  return [...new Set(ids)].slice(0, MAX_REFERENCES);
}

function listFiles(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .slice(0, MAX_REFERENCES)
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** With and without carriage returns: git may have added them at the checkout. */
function listBlobIds({ content }: TreeFile): readonly string[] {
  const withoutReturns = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const contents = withoutReturns.length === content.length ? [content] : [content, withoutReturns];
  return contents.flatMap((each) => (["sha1", "sha256"] as const).map((kind) => hashBlob(each, kind)));
}

function hashBlob(content: Buffer, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex");
}

const MAX_AT_ONCE = 64;

/** The root folders of commits, some at a time. Breadth first, so that the newest commit of every branch comes before its history. */
async function* readRootTrees(reader: ObjectReader, tips: readonly string[]): AsyncGenerator<readonly string[]> {
  const seen = new Set(tips);
  const queue = [...tips];
  for (let at = 0; at < queue.length && at < MAX_COMMITS + tips.length; at += MAX_AT_ONCE) {
    const objects = await reader.read(queue.slice(at, at + MAX_AT_ONCE));
    const links = objects.flatMap((object) => (object === null ? [] : readLinks(object)));
    for (const { id } of links.filter(({ key, id }) => key !== "tree" && !seen.has(id))) {
      seen.add(id);
      queue.push(id);
    }
    yield links.filter(({ key }) => key === "tree").map(({ id }) => id);
  }
}

/** The tree and the parents of a commit, or the object of a tag. */
function readLinks({ type, content }: GitObject): readonly { readonly key: string; readonly id: string }[] {
  if (type !== "commit" && type !== "tag") return [];
  const [header = ""] = content.toString("latin1").split("\n\n");
  const links = [...header.matchAll(/^(tree|parent|object) ([0-9a-f]{40,64})$/gm)];
  return links.map(([, key = "", id = ""]) => ({ key, id }));
}

/** The ids of the entries with this path in the trees that have one. */
async function findEntries(
  reader: ObjectReader,
  trees: readonly string[],
  names: readonly string[],
): Promise<readonly string[]> {
  let ids = [...new Set(trees)];
  for (const name of names) {
    const folders = await reader.readTrees(ids);
    ids = [...new Set(folders.flatMap((entries) => entries?.get(name) ?? []))];
  }
  return ids;
}
