/** The pieces of a reply, told without secrets. */

import { expect, test } from "vitest";
import { Deltas } from "../../src/redacting/deltas.ts";
import { github, secretsFor, testVault } from "./vaults.ts";

test("SEC11 a secret that comes in pieces is never told in pieces; what comes next waits for it", () => {
  const deltas = new Deltas(secretsFor());
  const text = `It is ${github}, see?`;
  const told = Array.from(text).flatMap((sign) => deltas.told({ type: "text-delta", text: sign }));
  const call = deltas.told({ type: "tool-call-delta", index: 0, json: '{"a": 1}' });
  const all = [...told, ...call, ...deltas.end()];
  const said = all.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join("");
  expect(said).toBe(`It is ${testVault().redacted(String(github))}, see?`);
  expect(all.findLastIndex(({ type }) => type === "text-delta")).toBeLessThan(
    all.findIndex(({ type }) => type === "tool-call-delta"),
  );
  expect(all.flatMap((delta) => (delta.type === "tool-call-delta" ? delta.json : [])).join("")).toBe('{"a": 1}');
});

test("SEC11 calls that come side by side are told each without its secret", () => {
  const deltas = new Deltas(secretsFor());
  const call = { id: "c1", name: "use" };
  const pieces = Array.from(`"${github}"`).flatMap((sign, at) => [
    { type: "tool-call-delta", index: 0, json: sign, ...(at === 0 && { call }) } as const,
    { type: "tool-call-delta", index: 1, json: sign } as const,
  ]);
  const told = [...pieces.flatMap((piece) => deltas.told(piece)), ...deltas.end()];
  expect(told.filter((delta) => "call" in delta).length).toBeGreaterThan(0);
  for (const index of [0, 1]) {
    const mine = told.map((delta) => (delta.type === "tool-call-delta" && delta.index === index ? delta.json : ""));
    expect(mine.join("")).toBe(`"${testVault().redacted(String(github))}"`);
  }
});

test("SEC11 without secrets to keep, every piece is told as it comes", () => {
  const delta = { type: "text-delta", text: String(github) } as const;
  expect(new Deltas(undefined).told(delta)).toEqual([delta]);
});
