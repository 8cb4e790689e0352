/** Ordinary work that a sandbox must not break. */

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createSandboxFolders,
  openNetwork,
  ranIn,
  type SandboxFolders,
  sandboxOptions,
} from "../../support/sandbox-folders.ts";

interface Work {
  readonly name: string;
  readonly command: string;
  readonly output?: string | RegExp;
  readonly leaves?: (folders: SandboxFolders) => string;
}

const AUTHOR = "-c user.name=a -c user.email=a@b";

const work: readonly Work[] = [
  {
    name: "a file in the workspace",
    command: "echo x >new; mkdir -p a/b; mv new a/b",
    leaves: ({ workspace }) => join(workspace, "a/b/new"),
  },
  {
    name: "a commit",
    command: `git add -A && git ${AUTHOR} commit -qm first && git log --format=%s && git status --short`,
    output: "first\n",
  },
  {
    name: "branches",
    command: `git ${AUTHOR} commit -q --allow-empty -m a && git checkout -qb other && git branch --show-current`,
    output: "other\n",
  },
  {
    name: "a repository further down",
    command: "git init -q sub && git -C sub config a.b c && git -C sub config a.b",
    output: "c\n",
  },
  {
    name: "a package cache",
    command: "mkdir -p ~/.npm && echo x >~/.npm/package",
    leaves: ({ privateHome }) => join(privateHome, ".npm/package"),
  },
  { name: "a temporary file", command: 'file=$(mktemp) && echo hello >"$file" && cat "$file"', output: "hello\n" },
  {
    name: "a temporary file that stays",
    command: "echo x >$TMPDIR/out.log",
    leaves: ({ temporary }) => join(temporary, "out.log"),
  },
  { name: "reading what is outside", command: "cat $OUTSIDE/file", output: "as it was\n" },
  { name: "programs of the machine", command: '"$NODE" -p "6 * 7"', output: "42\n" },
  {
    name: "pipes and what a shell does",
    command: "seq 3 | sort -r | paste -sd, && cat <(echo a) <<<b",
    output: "3,2,1\na\n",
  },
  {
    name: "a program of its own",
    command: "printf '#!/bin/bash\\necho ran' >own && chmod +x own && ./own",
    output: "ran\n",
  },
  {
    name: "devices that everybody uses",
    command: "head -c 4 /dev/urandom | wc -c; echo x >/dev/null;",
    output: "4\n",
  },
  { name: "its own processes", command: "sleep 60 & kill $! && wait $!; echo $?", output: "143\n" },
  { name: "who it is", command: '[ "$(id -u)" = "$(stat -c %u .)" ] && pwd -P', output: /\/workspace\n$/ },
];

test.each(work)("BOX2 ordinary work succeeds: $name", async ({ command, output: says, leaves }) => {
  const folders = createSandboxFolders();
  const { end, text } = await ranIn(sandboxOptions(folders), command);
  if (says !== undefined) expect(text).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
  expect(end).toEqual({ type: "ended", exitCode: 0 });
  if (leaves) expect(existsSync(leaves(folders))).toBe(true);
});

test("BOX2 a command reaches a network that is on", async () => {
  const server = createServer((_, response) => response.end("hello"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const network = await openNetwork({ privateHosts: [`shop.test:${port}`] });
  onTestFinished(() => network.close());
  const command = `"$NODE" -e 'fetch("http://shop.test:${port}").then((got) => got.text()).then(console.log)'`;
  expect((await ranIn(sandboxOptions(createSandboxFolders(), { network }), command)).text).toBe("hello\n");
});

test("BOX2 both output streams arrive in order and complete, with the exit code", async () => {
  const command = 'for i in $(seq 300); do echo "out $i"; echo "err $i" >&2; done; head -c 3000000 /dev/zero; exit 7';
  const { end, text } = await ranIn(sandboxOptions(createSandboxFolders()), command);
  const expectedOutput = Array.from({ length: 300 }, (_, at) => `out ${at + 1}\nerr ${at + 1}\n`).join("");
  expect(end).toEqual({ type: "ended", exitCode: 7 });
  expect(text.startsWith(expectedOutput)).toBe(true);
  expect(text.length).toBe(expectedOutput.length + 3_000_000);
});

test("BOX2 a syntax error of bash is part of the output", async () => {
  const { end, text } = await ranIn(sandboxOptions(createSandboxFolders()), "echo (");
  expect(end).toMatchObject({ type: "ended", exitCode: expect.toSatisfy((code: number) => code > 0) });
  expect(text).toContain("syntax error");
});

test("BOX3 with a read-only workspace the private folders stay writable", async () => {
  const folders = createSandboxFolders();
  const command =
    "cat .git/HEAD; echo x >/tmp/plan && mkdir -p ~/.npm && echo x >~/.npm/plan && ! touch new 2>/dev/null";
  const { end, text } = await ranIn(sandboxOptions(folders, { mayWrite: () => false }), command);
  expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "ref: refs/heads/main\n" });
});

test("BOX3 whether a command may write is checked before each command", async () => {
  const folders = createSandboxFolders();
  let may = false;
  const options = sandboxOptions(folders, { mayWrite: () => may });
  expect((await ranIn(options, "echo x >new")).end).toEqual({ type: "ended", exitCode: 1 });
  may = true;
  expect((await ranIn(options, "echo x >new")).end).toEqual({ type: "ended", exitCode: 0 });
  expect(readFileSync(join(folders.workspace, "new"), "utf8")).toBe("x\n");
});
