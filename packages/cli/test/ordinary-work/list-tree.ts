/** Lists a folder: each name with its kind, mode and content. Of a git folder it lists what git reports. Times are not compared. */

import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface Normalisation {
  readonly path: RegExp;
  readonly reason: string;
  /** Without it, the content of the file or folder is not compared. */
  readonly replace?: (text: string) => string;
}

/** What differs between two runs of the same command even without a sandbox. */
export const normalisations: readonly Normalisation[] = [
  {
    path: /\.pyc$/,
    reason: "byte code contains the time of its source, and marks for references that depend on what else was loaded",
  },
  {
    path: /(?:^|\/)node_modules\/\.pnpm-task-run-state(?:-v1)?$/,
    reason: "pnpm names the states of its task runs by time and process",
  },
  {
    path: /(?:^|\/)node_modules\/\.modules\.yaml$/,
    reason: "pnpm writes the time at which it last removed packages",
    replace: (text) => text.replace(/("?prunedAt"?: ).*/, "$1…"),
  },
  {
    path: /(?:^|\/)node_modules\/\.pnpm-workspace-state(?:-v1)?\.json$/,
    reason: "pnpm writes when it last checked the workspace, and the times of the files that it checked",
    replace: (text) => text.replaceAll(/("(?:lastValidatedTimestamp|recordedAtNs|mtimeNs|ctimeNs)": ?)\d+/g, "$1…"),
  },
];

/** Path to description. Git folders have one line for each part of git's report. */
export type Tree = ReadonlyMap<string, string>;

/** Runs a script of bash with a folder of the tree as its only argument, and returns its output. */
export type GitReporter = (script: string, folder: string) => string;

/** Remembers the hashes of files that have not changed since they were last read. */
export class TreeReader {
  readonly #folder: string;
  readonly #reportGit: GitReporter;
  readonly #hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();

  constructor(folder: string, reportGit: GitReporter) {
    this.#folder = folder;
    this.#reportGit = reportGit;
  }

  read(): Tree {
    const tree = new Map<string, string>();
    this.#readFolder("", tree);
    return tree;
  }

  #readFolder(path: string, tree: Map<string, string>): void {
    for (const name of listNames(join(this.#folder, path))) {
      const inner = path === "" ? name : `${path}/${name}`;
      const stats = lstatSync(join(this.#folder, inner), { bigint: true, throwIfNoEntry: false });
      if (!stats) continue;
      tree.set(inner, this.#describe(inner, stats));
      if (!stats.isDirectory() || normalisations.some((each) => each.path.test(inner))) continue;
      if (this.#isGitFolder(inner)) this.#readGit(inner, tree);
      else this.#readFolder(inner, tree);
    }
  }

  #describe(path: string, stats: BigIntStats): string {
    const real = join(this.#folder, path);
    const mode = `${stats.mode.toString(8)} ${stats.uid}:${stats.gid}`;
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(real)}`;
    if (stats.isDirectory()) return `folder ${mode}`;
    if (!stats.isFile()) return `special ${mode}`;
    return `file ${mode} ${this.#hash(path, stats)}`;
  }

  #hash(path: string, { ino, ctimeNs, size }: BigIntStats): string {
    const stamp = `${ino} ${ctimeNs} ${size}`;
    const known = this.#hashes.get(path);
    if (known?.stamp === stamp) return known.hash;
    const hash = hashContent(path, readFileSync(join(this.#folder, path)));
    this.#hashes.set(path, { stamp, hash });
    return hash;
  }

  #isGitFolder(path: string): boolean {
    const names = new Set(listNames(join(this.#folder, path)));
    return ["HEAD", "objects", "refs"].every((name) => names.has(name));
  }

  #readGit(path: string, tree: Map<string, string>): void {
    const folder = join(this.#folder, path);
    const names = listNames(folder).filter((name) => !PACKING.has(name));
    tree.set(`${path}: names`, names.join(" "));
    for (const line of this.#reportGit(GIT_REPORT, path).split("\n")) {
      const [part = "", ...words] = line.split("\t");
      if (part !== "") tree.set(`${path}: ${part}`, words.join("\t"));
    }
    this.#readHooks(path, tree);
  }

  #readHooks(path: string, tree: Map<string, string>): void {
    const hooks = `${path}/hooks`;
    if (lstatSync(join(this.#folder, hooks), { throwIfNoEntry: false })?.isDirectory()) this.#readFolder(hooks, tree);
  }
}

/** They come and go with the packing of objects, which depends on the time. */
const PACKING = new Set(["gc.log", "gc.pid", "packed-refs", "index.lock"]);

/** Prints lines of a part and its value. `GIT_OPTIONAL_LOCKS` keeps `git status` from writing the index. */
const GIT_REPORT = [
  'export GIT_OPTIONAL_LOCKS=0; cd "$1" || exit; bare=$(git rev-parse --is-bare-repository)',
  'printf "HEAD\\t%s\\n" "$(cat HEAD)"',
  'git for-each-ref --format="ref %(refname)%09%(objectname) %(upstream)"',
  `git config --file config --list -z | tr '\\n\\0' ' \\n' | awk '{ name = $1; $1 = ""; seen[name]++; print "config " name " " seen[name] "\\t" $0 }'`,
  'git stash list --format=%gs | awk \'{ print "stash " NR "\\t" $0 }\'',
  'git worktree list --porcelain | awk \'{ print "worktree " NR "\\t" $0 }\'',
  'git fsck --no-dangling --no-progress 2>&1 | awk \'{ print "fsck " NR "\\t" $0 }\'',
  '[ "$bare" = true ] && exit',
  "cd .. && git status --porcelain=v2 --branch --ignored -z | tr '\\0' '\\n' | awk '{ print \"status \" ($1 == \"#\" ? $2 : $NF) \"\\t\" $0 }'",
].join("\n");

/** None if the folder has just been removed by a background command. */
function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (Object(error).code === "ENOENT") return [];
    throw error;
  }
}

function hashContent(path: string, content: Buffer): string {
  const normalisation = normalisations.find((each) => each.path.test(path));
  if (normalisation === undefined) return hash(content);
  return normalisation.replace ? hash(normalisation.replace(content.toString())) : "not compared";
}

const hash = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex").slice(0, 16);
