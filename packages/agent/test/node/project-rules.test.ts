/** Tests node/project-rules.ts on a real disk: several processes, other users, damage. */

import { fork } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { projectRules } from "../../src/node/project-rules.ts";
import { rule } from "../support/permission-requests.ts";

interface Home {
  readonly folder: string;
  readonly file: string;
  readonly notes: string[];
  of(workspace?: string): ReturnType<typeof projectRules>;
}

function newHome(): Home {
  const top = mkdtempSync(join(tmpdir(), "pith-rules-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folder = join(top, "home", ".pith");
  const file = join(folder, "permissions.json");
  const notes: string[] = [];
  return {
    folder,
    file,
    notes,
    of: (workspace = "/w") => projectRules({ file, workspace, notify: (note) => notes.push(note) }),
  };
}

const texts = async (home: Home, workspace?: string): Promise<readonly string[]> =>
  (await home.of(workspace).load()).map(({ text }) => text);

describe("PERM17 remembered rules belong to one workspace and one user, outside the project", () => {
  test("are loaded for their own workspace only, each once", async () => {
    const home = newHome();
    expect(await texts(home)).toEqual([]);
    for (const text of ["bash(npm test)", "edit(src/**)", "bash(npm test)"]) await home.of().remember(rule(text));
    await home.of("/other").remember(rule("grep"));
    expect(await texts(home)).toEqual(["bash(npm test)", "edit(src/**)"]);
    expect(await texts(home, "/other")).toEqual(["grep"]);
    expect(await texts(home, "/w/sub")).toEqual([]);
    expect(home.notes).toEqual([]);
  });

  test("the file and its folder are owner-only under any umask, and no other file is left", async () => {
    const home = newHome();
    await rememberElsewhere(home, "a");
    expect(statSync(home.file).mode & 0o777).toBe(0o600);
    expect(statSync(home.folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(home.folder)).toEqual(["permissions.json"]);
  });

  test("unknown fields of a later version are preserved", async () => {
    const home = newHome();
    await home.of().remember(rule("grep"));
    writeFileSync(home.file, JSON.stringify({ version: 1, note: "x", projects: { "/w": ["grep"] } }));
    await home.of().remember(rule("ls"));
    expect(JSON.parse(readFileSync(home.file, "utf8"))).toEqual({
      version: 1,
      note: "x",
      projects: { "/w": ["grep", "ls"] },
    });
  });

  test("an invalid rule is reported and ignored", async () => {
    const home = newHome();
    await home.of().remember(rule("grep"));
    writeFileSync(home.file, JSON.stringify({ version: 1, projects: { "/w": ["bash(*)", "grep"] } }));
    expect(await texts(home)).toEqual(["grep"]);
    expect(home.notes).toEqual([expect.stringContaining("a remembered rule is ignored: bash(*)")]);
  });
});

describe("PERM18 a file that others may have written is neither trusted nor overwritten", () => {
  test.each<readonly [string, (home: Home) => void, string]>([
    ["a file that others may write", ({ file }) => chmodSync(file, 0o666), "is writable by others"],
    ["a file that the group may write", ({ file }) => chmodSync(file, 0o620), "is writable by others"],
    ["a folder that others may write", ({ folder }) => chmodSync(folder, 0o777), "is writable by others"],
    ["a link", (home) => linkInstead(home), "is a link"],
    ["a folder in its place", (home) => folderInstead(home), "is not a regular file"],
    ["a newer version", ({ file }) => writeFileSync(file, '{"version":2,"projects":{}}'), "newer version"],
  ])("%s", async (_, spoil, why) => {
    const home = newHome();
    await home.of().remember(rule("grep"));
    spoil(home);
    const before = existsSync(home.file) && statSync(home.file).isFile() ? readFileSync(home.file, "utf8") : null;
    expect(await texts(home)).toEqual([]);
    await home.of().remember(rule("ls"));
    expect(home.notes).toEqual([expect.stringContaining(why), expect.stringContaining(why)]);
    if (before !== null) expect(readFileSync(home.file, "utf8")).toBe(before);
  });

  test.skipIf(process.getuid?.() !== 0)("a file of another user", async () => {
    const home = newHome();
    await home.of().remember(rule("grep"));
    chownSync(home.file, 65_534, 65_534);
    expect(await texts(home)).toEqual([]);
    expect(home.notes).toEqual([expect.stringContaining("belongs to another user")]);
  });

  function linkInstead({ folder, file }: Home): void {
    writeFileSync(join(folder, "planted"), readFileSync(file), { mode: 0o600 });
    rmSync(file);
    symlinkSync(join(folder, "planted"), file);
  }

  function folderInstead({ file }: Home): void {
    rmSync(file);
    mkdirSync(file);
  }
});

describe("PERM19 damage loses the rules in the file, and nothing else", () => {
  test.each(["", "{", "[]", "null", '{"version":1}', '{"version":1,"projects":{"/w":"bash"}}', "\u0000".repeat(100)])(
    "%j is moved aside and reported",
    async (content) => {
      const home = newHome();
      await home.of().remember(rule("grep"));
      writeFileSync(home.file, content);
      expect(await texts(home)).toEqual([]);
      const aside = readdirSync(home.folder).filter((name) => name.startsWith("permissions.json.damaged-"));
      expect(aside).toHaveLength(1);
      expect(home.notes).toEqual([expect.stringContaining(aside[0] ?? "?")]);
      expect(readFileSync(join(home.folder, aside[0] ?? ""), "utf8")).toBe(content);
      await home.of().remember(rule("ls"));
      expect(await texts(home)).toEqual(["ls"]);
    },
  );

  test("a disk error tells the user that the rule is not saved", async () => {
    const home = newHome();
    mkdirSync(join(home.folder, ".."), { recursive: true });
    writeFileSync(home.folder, "a file where the folder should be");
    await home.of().remember(rule("ls"));
    expect(home.notes).toEqual([expect.stringContaining("ls is allowed only in this session")]);
  });
});

describe("PERM20 processes that save rules at the same time keep each other's rules", () => {
  test("four processes with eight rules each", async () => {
    const home = newHome();
    await Promise.all(["a", "b", "c", "d"].map((name) => rememberElsewhere(home, name)));
    const expected = ["a", "b", "c", "d"].flatMap((name) =>
      Array.from({ length: 8 }, (_, at) => `bash(${name} ${at})`),
    );
    expect([...(await texts(home))].sort()).toEqual(expected);
    expect(readdirSync(home.folder)).toEqual(["permissions.json"]);
  });

  test("a stale lock is broken", async () => {
    const home = newHome();
    await home.of().remember(rule("grep"));
    writeFileSync(`${home.file}.lock`, "");
    await Promise.all([home.of().remember(rule("ls")), home.of().remember(rule("find"))]);
    expect([...(await texts(home))].sort()).toEqual(["find", "grep", "ls"]);
    expect(readdirSync(home.folder)).toEqual(["permissions.json"]);
  });
});

/** In another process, with umask 0. */
function rememberElsewhere({ file }: Home, name: string): Promise<void> {
  const child = fork(join(import.meta.dirname, "remember.ts"), [file, name]);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
  });
}
