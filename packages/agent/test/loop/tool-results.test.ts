/** Results that are too long for a context, as any tool may give them. */

import { expect, test } from "vitest";
import { createMemoryBlobs } from "../../src/index.ts";
import { boundOutput, computeMaxOutputBytes } from "../../src/loop/tool-results.ts";

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

test.each([
  [8_192, 2_457],
  [32_768, 9_828],
  [200_000, 51_200],
  [1_000_000, 51_200],
])("RUN10 in a window of %i tokens a result may have %i bytes", (window, bytes) =>
  expect(computeMaxOutputBytes(window)).toBe(bytes),
);

test("RUN10 a result that fits is unchanged", async () => {
  const output = text("short");
  expect(await boundOutput(output, { maxOutputBytes: 2_000, blobs: createMemoryBlobs() })).toBe(output);
});

test("RUN10 a longer result is stored whole, and shown by its beginning and end with a reference", async () => {
  const blobs = createMemoryBlobs();
  const whole = Array.from({ length: 5_000 }, (_, line) => `line ${line} äöü`).join("\n");
  const { content } = await boundOutput(text(whole), { maxOutputBytes: 2_000, blobs });
  const shown = content[0]?.type === "text" ? content[0].text : "";
  expect(new TextEncoder().encode(shown).length).toBeLessThan(2_300);
  expect(shown).toMatch(/^line 0 [\s\S]*bytes omitted; read blob:[\da-f]{8} for the full output[\s\S]*line 4999 äöü$/);
  const [, digits = ""] = /blob:([\da-f]{8})/.exec(shown) ?? [];
  const found = await blobs.findByPrefix(digits);
  const hash = found.type === "found" ? found.blobs[0]?.hash : undefined;
  const kept = await blobs.read(hash ?? "", { start: 0, end: 1_000_000 });
  expect(kept.type === "read" && new TextDecoder().decode(kept.bytes)).toBe(whole);
});

test("RUN10 images stay beside a shortened text, and without a blob store the text says that the rest was not stored", async () => {
  const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  const output = { content: [{ type: "text" as const, text: "x".repeat(9_000) }, picture], isError: true };
  const { content, isError } = await boundOutput(output, { maxOutputBytes: 2_000, blobs: undefined });
  expect(content).toEqual([{ type: "text", text: expect.stringContaining("the rest was not stored") }, picture]);
  expect(isError).toBe(true);
});
