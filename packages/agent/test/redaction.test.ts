/** Tests redaction.ts: deltas, redacted shell, restored files. */

import { describe, expect, test } from "vitest";
import {
  bashTool,
  createMemoryBlobs,
  redactBlobs,
  redactSearch,
  redactShell,
  restoreFilePaths,
  type WorkspaceFiles,
  type WorkspaceSearch,
  type WorkspaceShell,
} from "../src/index.ts";
import { DeltaRedactor } from "../src/redaction.ts";
import { github, secretsFor, testVault } from "./redaction/vaults.ts";

describe("deltas", () => {
  test("SEC11 a secret that is split over deltas is redacted; later text waits for it", () => {
    const deltas = new DeltaRedactor(secretsFor());
    const text = `It is ${github}, see?`;
    const written = Array.from(text).flatMap((sign) => deltas.write({ type: "text-delta", text: sign }));
    const call = deltas.write({ type: "tool-call-delta", index: 0, json: '{"a": 1}' });
    const all = [...written, ...call, ...deltas.end()];
    const words = all.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join("");
    expect(words).toBe(`It is ${testVault().redact(String(github))}, see?`);
    expect(all.findLastIndex(({ type }) => type === "text-delta")).toBeLessThan(
      all.findIndex(({ type }) => type === "tool-call-delta"),
    );
    expect(all.flatMap((delta) => (delta.type === "tool-call-delta" ? delta.json : [])).join("")).toBe('{"a": 1}');
  });

  test("SEC11 redacts tool calls that are streamed in parallel", () => {
    const deltas = new DeltaRedactor(secretsFor());
    const call = { id: "c1", name: "use" };
    const pieces = Array.from(`"${github}"`).flatMap((sign, at) => [
      { type: "tool-call-delta", index: 0, json: sign, ...(at === 0 && { call }) } as const,
      { type: "tool-call-delta", index: 1, json: sign } as const,
    ]);
    const written = [...pieces.flatMap((piece) => deltas.write(piece)), ...deltas.end()];
    expect(written.filter((delta) => "call" in delta).length).toBeGreaterThan(0);
    for (const index of [0, 1]) {
      const mine = written.map((delta) =>
        delta.type === "tool-call-delta" && delta.index === index ? delta.json : "",
      );
      expect(mine.join("")).toBe(`"${testVault().redact(String(github))}"`);
    }
  });

  test("SEC11 without a vault, deltas are passed on unchanged", () => {
    const delta = { type: "text-delta", text: String(github) } as const;
    expect(new DeltaRedactor(undefined).write(delta)).toEqual([delta]);
  });
});

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

describe("restored files", () => {
  test("SEC12 finds a file by a path with a placeholder, and creates no file with a placeholder in its name", async () => {
    const events: string[] = [];
    const note = (path: string) => {
      events.push(path);
      return Promise.resolve({ type: "written" } as const);
    };
    const files = {
      resolve: (path: string) => `/work/${path}`,
      write: note,
      remove: note,
    } as unknown as WorkspaceFiles;
    const vault = testVault();
    const known = restoreFilePaths(files, vault);
    const path = vault.redact(`a/${github}/b`);
    expect(known.resolve(path)).toBe(`/work/a/${github}/b`);
    await known.write(path, new Uint8Array());
    await known.remove(path);
    const unknown = await restoreFilePaths(files, testVault()).write(path, new Uint8Array());
    expect(unknown).toMatchObject({ type: "refused", message: expect.stringContaining("PITH_SECRET_") });
    expect(events).toEqual([`a/${github}/b`, `a/${github}/b`]);
  });
});
