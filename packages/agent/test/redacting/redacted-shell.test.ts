/** What comes from a shell, a search or a tool has no secrets when it is shown or kept. */

import { expect, test } from "vitest";
import {
  bashTool,
  memoryBlobs,
  redactedBlobs,
  redactedSearch,
  redactedShell,
  type WorkspaceSearch,
  type WorkspaceShell,
} from "../../src/index.ts";
import { github, secretsFor, testVault } from "./vaults.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("SEC10 what a shell says is redacted as it comes, however it is cut, and every other byte stays", async () => {
  const said = Buffer.concat([bytes(`é ${github} ü\n`), new Uint8Array([0, 255, 254, 10]), bytes(`end ${github}`)]);
  const shell: WorkspaceShell = {
    run: async (_, { output }) => {
      for (const byte of said) output(new Uint8Array([byte]));
      return { type: "ended", exitCode: 0 };
    },
  };
  const heard: Uint8Array[] = [];
  const signal = new AbortController().signal;
  await redactedShell(shell, secretsFor()).run("any", { signal, output: (chunk) => void heard.push(chunk) });
  const placeholder = testVault().redacted(String(github));
  expect(Buffer.concat(heard).toString("latin1")).toBe(said.toString("latin1").replaceAll(String(github), placeholder));
});

test("SEC11 what is kept beside a session is redacted, whole or piece by piece", async () => {
  const blobs = redactedBlobs(memoryBlobs(), secretsFor());
  const text = `a ${github}\nb ${github} c`;
  const draft = blobs.begin();
  for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft.write(bytes(piece));
  const kept = [await blobs.keep(bytes(text)), await draft.keep()];
  for (const each of kept) {
    if (each.type !== "kept") throw new Error("it was not kept");
    const read = await blobs.read(each.hash, { start: 0, end: 1_000 });
    expect(read.type === "read" && new TextDecoder().decode(read.bytes)).toBe(testVault().redacted(text));
  }
});

test("SEC11 a hit of a search is redacted before it is cut", async () => {
  const hit = { path: "a", line: 1, text: `x = ${github}`, isAround: false };
  const search = { grep: async () => ({ type: "found", found: [hit], isAll: true }) } as unknown as WorkspaceSearch;
  const act = { signal: new AbortController().signal, most: 1 };
  const found = await redactedSearch(search, secretsFor()).grep({ pattern: "x", path: "a" }, act);
  expect(found.type === "found" && found.found[0]?.text).toBe(`x = ${testVault().redacted(String(github))}`);
});

test("SEC11 what is told of a job is redacted before it is cut", async () => {
  const shell: WorkspaceShell = { run: () => new Promise(() => {}) };
  const bash = bashTool(shell, { redaction: secretsFor() });
  const command = `${"x".repeat(180)} ${github}`;
  const signal = new AbortController().signal;
  await bash.run({ id: "c1", arguments: { command, background: true }, signal, room: 10_000, update: () => {} });
  expect(bash.ongoing()).toContain("PITH_SECRET_");
  expect(bash.ongoing()).not.toContain(String(github).slice(0, 12));
});
