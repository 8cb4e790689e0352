/** Tests redaction.ts: deltas, restored files. */

import { describe, expect, test } from "vitest";
import { restoreFilePaths, type WorkspaceFiles } from "../src/index.ts";
import { DeltaRedactor } from "../src/redaction.ts";
import { github, secretsFor, testVault } from "./support/secrets.ts";

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
