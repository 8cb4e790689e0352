/**
 * Watches the real folder while commands run in the sandbox: no name may appear that neither the user nor a command made. `pnpm test` runs a
 * quarter of the commands; `pnpm test:ordinary-work` all 200.
 */

import { execFile } from "node:child_process";
import { type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { createMachine, type Machine } from "./machine.ts";
import { type OrdinaryCommand, type Project, run, start, stop, withPort } from "./project.ts";
import { InsideShell } from "./shells.ts";

class NameWatch {
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

const project: Project = {
  name: "names",
  folder: "projects/names",
  files: {
    "README.md": "# names\n",
    "src/main.sh": "echo main\n",
    "docs/inner/page.md": "# page\n",
    ".editorconfig": "",
  },
  before: "git init -q && git add -A && git commit -qm start",
  needsRegistry: false,
  tools: [],
  commands: [],
};

const SERVER = start("server", "exec python3 -m http.server PORT --bind 127.0.0.1 --directory docs");

/** The kinds of commands in turn, each with the names that it makes. */
const KINDS: readonly ((index: number) => { readonly command: string; readonly makes: readonly string[] })[] = [
  (index) => ({ command: `echo ${index} > note-${index}.txt`, makes: [`note-${index}.txt`] }),
  () => ({ command: "ls -a; git status --porcelain --ignored", makes: [] }),
  (index) => ({
    command: `mkdir -p made/${index} && touch made/${index}/file`,
    makes: ["made", `made/${index}`, `made/${index}/file`],
  }),
  () => ({ command: "cat README.md; git diff; git log --oneline | head -3; find . -name '*.md' | sort", makes: [] }),
  (index) => ({ command: `sed -i '$a echo ${index}' src/main.sh && bash src/main.sh`, makes: ["src/main.sh"] }),
  (index) => ({ command: `git add -A && git commit -qm 'Step ${index}'`, makes: [] }),
  () => ({
    command: "curl -sf --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:PORT/ | head -1",
    makes: [],
  }),
  () => ({ command: "mv README.md README.old && mv README.old README.md", makes: ["README.md", "README.old"] }),
  (index) => ({ command: `git checkout -q -b branch-${index} && git checkout -q main`, makes: [] }),
  () => ({ command: "python3 -c 'import os; print(sorted(os.listdir(\".\")))'; (exit 3)", makes: [] }),
];

const COUNT = isLong ? 200 : 50;
const FIRST_NAMES = ["README.md", ".editorconfig", "src", "src/main.sh", "docs", "docs/inner", "docs/inner/page.md"];
/** The user's git folder, and the copy that `sed -i` writes first. */
const OWN = /^(?:\.git(?:\/.*)?|src\/sed\w{6})$/;

let machine: Machine;
let shell: InsideShell;

beforeEach(async () => {
  machine = await createMachine(project);
  shell = await InsideShell.start(machine);
});

afterEach(async () => {
  await shell.close();
  machine.remove();
});

test(`BOX43 during ${COUNT} commands beside a running server, no file name appears that neither the user nor a command made`, async () => {
  const folder = machine.folderOn("inside");
  const expected = new Set(FIRST_NAMES);
  const watch = new NameWatch(folder);
  const listed = new Set<string>();
  await shell.run(fill(SERVER));
  for (let index = 0; index < COUNT; index += 1) {
    const { command, makes } = KINDS[index % KINDS.length]?.(index) ?? { command: "true", makes: [] };
    for (const name of makes) expected.add(name);
    const [{ exitCode, text }, during] = await Promise.all([shell.run(fill(run(command))), listNames()]);
    expect({ command, exitCode, text }).toEqual({ command, exitCode: command.endsWith("(exit 3)") ? 3 : 0, text });
    for (const name of [...during, ...(await listNames())]) listed.add(name);
  }
  await shell.run(stop("server"));
  watch.close();
  const findForeign = (names: Iterable<string>): readonly string[] =>
    [...names].filter((name) => !expected.has(name) && !OWN.test(name)).toSorted();
  // The watch also notices a name that is there only for a moment.
  expect([...watch.names]).toContain("README.old");
  expect({ watched: findForeign(watch.names), listed: findForeign(listed) }).toEqual({ watched: [], listed: [] });
});

test("BOX43 kill -9 during a command beside a running server leaves no foreign file name, and the next start leaves none in .git", async () => {
  const folder = machine.folderOn("inside");
  const before = readdirSync(folder).toSorted();
  const gitBefore = readdirSync(join(folder, ".git")).toSorted();
  await shell.run(fill(SERVER));
  void shell.run(run("touch begun; sleep 600")).catch(() => {});
  await expect.poll(() => readdirSync(folder)).toContain("begun");
  const { pid } = shell.client;
  if (pid === undefined) throw new Error("the program did not start");
  process.kill(pid, "SIGKILL");
  await shell.client.exited;
  expect(readdirSync(folder).toSorted()).toEqual([...before, "begun"].toSorted());
  await shell.close();
  shell = await InsideShell.start(machine);
  await shell.run(run("true"));
  expect(readdirSync(folder).toSorted()).toEqual([...before, "begun"].toSorted());
  expect(readdirSync(join(folder, ".git")).toSorted()).toEqual(gitBefore);
});

const fill = (command: OrdinaryCommand): OrdinaryCommand => withPort(command, machine.port);

/** What `ls -a` and `git status` show of the real folder at this moment. */
async function listNames(): Promise<readonly string[]> {
  const script = "ls -A1; GIT_OPTIONAL_LOCKS=0 git status --porcelain --ignored --untracked-files=all | cut -c4-";
  const [program = "", ...words] = machine.enter("inside", ["bash", "-c", script]);
  const { stdout } = await promisify(execFile)(program, words, { env: machine.environment });
  return stdout.split("\n").filter((name) => name !== "");
}
