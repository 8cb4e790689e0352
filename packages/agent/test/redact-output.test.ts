/** Tests redact-output.ts: the output of commands, search hits, blobs, descriptions of jobs. */

import { describe, expect, test } from "vitest";
import {
  bashTool,
  createMemoryBlobs,
  redactBlobs,
  redactSearch,
  redactShell,
  type WorkspaceSearch,
  type WorkspaceShell,
} from "../src/index.ts";
import { github, secretsFor, testVault } from "./support/secrets.ts";

describe("redacted shell", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test("SEC10 redacts shell output however it is split, and changes no other byte", async () => {
    const output = Buffer.concat([bytes(`é ${github} ü\n`), new Uint8Array([0, 255, 254, 10]), bytes(`end ${github}`)]);
    const shell: WorkspaceShell = {
      run: async (_, { onOutput }) => {
        for (const byte of output) onOutput(new Uint8Array([byte]));
        return { type: "ended", exitCode: 0 };
      },
    };
    const chunks: Uint8Array[] = [];
    const signal = new AbortController().signal;
    await redactShell(shell, secretsFor()).run("any", { signal, onOutput: (chunk) => void chunks.push(chunk) });
    const placeholder = testVault().redact(String(github));
    expect(Buffer.concat(chunks).toString("latin1")).toBe(
      output.toString("latin1").replaceAll(String(github), placeholder),
    );
  });

  test("SEC11 redacts blobs, written at once or in chunks", async () => {
    const blobs = redactBlobs(createMemoryBlobs(), secretsFor());
    const text = `a ${github}\nb ${github} c`;
    const draft = blobs.createWriter();
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft.write(bytes(piece));
    const kept = [await blobs.keep(bytes(text)), await draft.keep()];
    for (const each of kept) {
      if (each.type !== "kept") throw new Error("it was not kept");
      const read = await blobs.read(each.hash, { start: 0, end: 1_000 });
      expect(read.type === "read" && new TextDecoder().decode(read.bytes)).toBe(testVault().redact(text));
    }
  });

  test("SEC11 redacts a search hit before it is cut", async () => {
    const hit = { path: "a", line: 1, text: `x = ${github}`, isContext: false };
    const search = {
      grep: async () => ({ type: "found", items: [hit], isComplete: true }),
    } as unknown as WorkspaceSearch;
    const act = { signal: new AbortController().signal, maxResults: 1 };
    const found = await redactSearch(search, secretsFor()).grep({ pattern: "x", path: "a" }, act);
    expect(found.type === "found" && found.items[0]?.text).toBe(`x = ${testVault().redact(String(github))}`);
  });

  test("SEC11 redacts the description of a job before it is cut", async () => {
    const shell: WorkspaceShell = { run: () => new Promise(() => {}) };
    const bash = bashTool(shell, { redaction: secretsFor() });
    const command = `${"x".repeat(180)} ${github}`;
    const signal = new AbortController().signal;
    await bash.run({
      id: "c1",
      arguments: { command, background: true },
      signal,
      maxOutputBytes: 10_000,
      update: () => {},
    });
    expect(bash.ongoing()).toContain("PITH_SECRET_");
    expect(bash.ongoing()).not.toContain(String(github).slice(0, 12));
  });
});
