/** Tests where files may be restored: on a real disk, with links, swapped folders and forged session files. */

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Entry } from "@pith/context";
import { expect, onTestFinished, test } from "vitest";
import { Permissions, parseRule } from "../../src/index.ts";
import { nodeFiles, originalsFolder, resolveRealPath } from "../../src/node/index.ts";
import { planRewind, type RewindOptions, rewindFiles } from "../../src/rewind-files.ts";
import { hashBytes } from "../../src/text.ts";
import { changeEntry } from "../support/writing-session.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface RewindFixture extends RewindOptions {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  /** The entry of a session that says it changed this file, both contents kept. */
  change(path: string, texts: { readonly before: string | null; readonly after: string }): Promise<Entry>;
  /** Goes back before these changes. */
  goBack(...left: readonly Entry[]): ReturnType<typeof rewindFiles>;
}

function createRewindFixture({
  allow = [],
  deny = [],
}: {
  allow?: readonly string[];
  deny?: readonly string[];
} = {}): RewindFixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pith-back-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const at = (name: string): string => join(base, name);
  for (const name of ["workspace", "outside", "home/.pith", "temporary", "kept"])
    mkdirSync(at(name), { recursive: true });
  const files = nodeFiles({ root: at("workspace"), home: at("home") });
  const originals = originalsFolder(at("kept"));
  const rules = { allow: allow.map(ruleIn), deny: deny.map(ruleIn) };
  const permissions = new Permissions({
    // The loosest mode: a restore is judged without it.
    mode: "all",
    rules,
    paths: {
      root: at("workspace"),
      home: at("home"),
      temporaryFolders: [at("temporary")],
      privatePaths: [],
      permissionFiles: [at("home/.pith")],
    },
    resolveRealPath,
  });
  const parts = { files, originals, checkPermission: (path: string) => permissions.permitRestore(path) };
  return {
    ...parts,
    base,
    workspace: at("workspace"),
    outside: at("outside"),
    change: async (path, { before, after }) => {
      if (before !== null) await originals.keep(bytes(before));
      await originals.keep(bytes(after));
      return changeEntry({
        path,
        before: before === null ? null : await hashBytes(bytes(before)),
        after: await hashBytes(bytes(after)),
      });
    },
    goBack: async (...left) =>
      await rewindFiles(await planRewind({ leftEntries: left, reachedEntries: [] }, parts), parts),
  };
}

function ruleIn(text: string) {
  const parsed = parseRule(text);
  if (parsed.type === "mistake") throw new Error(parsed.message);
  return parsed.rule;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test("BACK6 a restore skips files outside the workspace, protected files and Pith's own files, and restores the others", async () => {
  const { base, workspace, goBack, change } = createRewindFixture();
  const texts = { before: "evil", after: "as it was" };
  const places = [
    [join(workspace, "fine.txt"), null],
    [join(base, "temporary/fine.txt"), null],
    [join(base, "outside/file"), "outside the workspace"],
    [join(base, "home/.ssh/authorized_keys"), "outside the workspace"],
    [join(base, "home/.pith/settings.json"), "only the user can change Pith's settings and data"],
    [join(workspace, ".git/hooks/pre-commit"), "other programs execute or trust it"],
    [join(workspace, ".vscode/tasks.json"), "other programs execute or trust it"],
    ["~/.bashrc", "outside the workspace"],
    ["../outside/relative", "outside the workspace"],
  ] as const;
  const resolved = nodeFiles({ root: workspace, home: join(base, "home") });
  const left: Entry[] = [];
  for (const [path] of places) {
    put(resolved.resolve(path), "as it was");
    left.push(await change(path, texts));
  }
  expect(await goBack(...left)).toEqual({
    type: "rewound",
    files: places.map(([path, why]) =>
      why === null
        ? { type: "restored", path }
        : { type: "skipped", path, message: expect.stringMatching(`was not restored: .*${why}`) },
    ),
  });
  for (const [path, why] of places)
    expect([path, readFileSync(resolved.resolve(path), "utf8")]).toEqual([path, why === null ? "evil" : "as it was"]);
});

test("BACK6 a restore does not read, remove or create a file that is not permitted", async () => {
  const { base, files, originals, checkPermission, change } = createRewindFixture();
  const [secret, missing] = [join(base, "outside/secret"), join(base, "outside/new/file")];
  put(secret, "made by the session");
  const left = [
    await change(secret, { before: null, after: "made by the session" }),
    await change(missing, { before: "evil", after: "gone" }),
  ];
  const read: string[] = [];
  const watched: typeof files = {
    ...files,
    read: async (path, act) => {
      read.push(path);
      return await files.read(path, act);
    },
  };
  const parts = { files: watched, originals, checkPermission };
  const plan = await planRewind({ leftEntries: left, reachedEntries: [] }, parts);
  expect(plan).toMatchObject([
    { type: "not-permitted", currentHash: "unreadable", why: "it is outside the workspace" },
    { type: "not-permitted" },
  ]);
  await rewindFiles(plan, parts);
  expect(read).toEqual([]);
  expect(readFileSync(secret, "utf8")).toBe("made by the session");
  expect(existsSync(dirname(missing))).toBe(false);
});

test("BACK7 a restore writes, creates and removes nothing through a folder that became a link to outside", async () => {
  const { workspace, outside, change, goBack } = createRewindFixture();
  const path = (name: string): string => join(workspace, "sub", name);
  put(join(outside, "changed.txt"), "after");
  put(join(outside, "made.txt"), "after");
  mkdirSync(join(workspace, "sub"));
  renameSync(join(workspace, "sub"), join(workspace, "sub.old"));
  symlinkSync(outside, join(workspace, "sub"));
  const outcome = await goBack(
    await change(path("changed.txt"), { before: "before", after: "after" }),
    await change(path("made.txt"), { before: null, after: "after" }),
  );
  expect(outcome).toMatchObject({ type: "rewound", files: [{ type: "skipped" }, { type: "skipped" }] });
  expect(readFileSync(join(outside, "changed.txt"), "utf8")).toBe("after");
  expect(readFileSync(join(outside, "made.txt"), "utf8")).toBe("after");
});

test("BACK7 a restore changes neither a file that became a link nor its target", async () => {
  const { workspace, outside, change, goBack } = createRewindFixture();
  put(join(outside, "target"), "after");
  put(join(workspace, "target"), "after");
  symlinkSync(join(outside, "target"), join(workspace, "out"));
  symlinkSync("target", join(workspace, "in"));
  const outcome = await goBack(
    await change(join(workspace, "out"), { before: null, after: "after" }),
    await change(join(workspace, "in"), { before: null, after: "after" }),
  );
  expect(outcome).toMatchObject({
    type: "rewound",
    files: [{ type: "skipped" }, { type: "failed", message: "in cannot be removed: it is a link" }],
  });
  expect(readFileSync(join(outside, "target"), "utf8")).toBe("after");
  expect(readFileSync(join(workspace, "target"), "utf8")).toBe("after");
});

/** Python, because Node cannot swap two names atomically. */
const EXCHANGE = `import os, sys, ctypes
one, other = sys.argv[1].encode(), sys.argv[2].encode()
number = 316 if os.uname().machine == "x86_64" else 276
exchange = ctypes.CDLL(None).syscall
print("ready", flush=True)
while True:
    exchange(number, -100, one, -100, other, 2)`;

test.runIf(process.platform === "linux")(
  "BACK8 a restore writes and removes nothing outside while another process swaps the folder for a link",
  async () => {
    const { workspace, outside, change, goBack } = createRewindFixture();
    const [folder, link] = [join(workspace, "sub"), join(workspace, "link")];
    // The same files on both sides, so that only the way there tells them apart.
    for (const place of [folder, outside])
      for (const name of ["changed.txt", "made.txt"]) put(join(place, name), "after");
    symlinkSync(outside, link);
    const changed = await change(join(folder, "changed.txt"), { before: "before", after: "after" });
    const made = await change(join(folder, "made.txt"), { before: null, after: "after" });
    const exchanging = spawn("python3", ["-c", EXCHANGE, folder, link], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => exchanging.once("close", resolve));
    onTestFinished(() => void exchanging.kill("SIGKILL"));
    await new Promise((resolve) => exchanging.stdout.once("data", resolve));
    const outcomes = new Set<string>();
    // Until it has gone well and gone wrong a few times, at least 300 times and at most 3,000.
    for (let count = 0; count < 3_000 && (count < 300 || outcomes.size < 2); count += 1) {
      const done = await goBack(changed, made);
      for (const file of done.type === "rewound" ? done.files : []) outcomes.add(file.type);
      expect(readFileSync(join(outside, "changed.txt"), "utf8")).toBe("after");
      expect(readFileSync(join(outside, "made.txt"), "utf8")).toBe("after");
      await refill(join(workspace, "sub"), join(workspace, "link"));
    }
    exchanging.kill("SIGKILL");
    await ended;
    expect(outcomes.size).toBeGreaterThan(1);
  },
);

/** Restores both files of the real folder under its current name. */
async function refill(...names: readonly string[]): Promise<void> {
  const files = nodeFiles({ root: "/" });
  for (const name of names)
    for (const file of ["changed.txt", "made.txt"])
      await files.write(join(name, file), bytes("after"), { realPath: join(name, file) });
}

test("BACK9 a rule that names a protected file permits its restore, and a deny rule refuses it", async () => {
  const { workspace, change, goBack } = createRewindFixture({
    allow: ["edit(.vscode/**)", "edit"],
    deny: ["edit(locked/**)"],
  });
  const texts = { before: "before", after: "after" };
  const names = [".vscode/tasks.json", "locked/file", ".idea/workspace.xml"];
  for (const name of names) put(join(workspace, name), "after");
  const left = await Promise.all(names.map((name) => change(join(workspace, name), texts)));
  expect(await goBack(...left)).toMatchObject({
    type: "rewound",
    files: [
      { type: "restored" },
      { type: "skipped", message: expect.stringContaining("edit(locked/**) denies it") },
      { type: "skipped" },
    ],
  });
  expect(readFileSync(join(workspace, "locked/file"), "utf8")).toBe("after");
});
