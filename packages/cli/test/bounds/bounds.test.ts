/** The built program against replies without end: its memory, its CPU time, how it stops, and the limits of a run. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply, Step } from "@pith/testkit";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { findBuiltProgram } from "../support/built-program.ts";
import { type Measured, MeasuredProgram, measureStop } from "./measured-program.ts";
import { flood, longLine, models, wires } from "./replies.ts";

let program: MeasuredProgram;

beforeAll(() => void findBuiltProgram());
beforeEach(() => {
  program = new MeasuredProgram();
});
afterEach(() => program.clear());

/** The short version has each case once, the long one in every mode and protocol. */
const anthropic = "anthropic-messages" as const;
const modes: readonly (readonly string[])[] = isLong ? [["-p"], ["-p", "--mode", "json"]] : [["-p", "--mode", "json"]];

async function run(step: Step, args: readonly string[]): Promise<Measured> {
  await program.serve([step]);
  return await program.run([...args, "go"], 300_000);
}

/** Megabytes above a run that says hello. */
const MOST_MB = 160;

async function expectBounded(step: Step, args: readonly string[]): Promise<Measured> {
  const floor = await run("Hello.", args);
  const measured = await run(step, args);
  expect({ code: floor.code, notes: floor.notes.includes("pith:") }).toEqual({ code: 0, notes: false });
  expect(measured.code).toBe(1);
  expect(measured.peakMb).toBeLessThan(floor.peakMb + MOST_MB);
  console.log(
    `${args.join(" ")}: ${measured.seconds.toFixed(1)} s, ${measured.cpuMs} ms CPU, ${measured.peakMb} MB (hello: ${floor.cpuMs} ms, ${floor.peakMb} MB)`,
  );
  return measured;
}

const cases: Readonly<Record<string, Reply>> = {
  "endless text": flood({ wire: anthropic, kind: "text", chunk: 4_000 }),
  "endless text in deltas of 40 characters": flood({ wire: anthropic, kind: "text", chunk: 40 }),
  "endless thinking": flood({ wire: anthropic, kind: "thinking", chunk: 4_000 }),
  "endless tool arguments": flood({ wire: anthropic, kind: "call", chunk: 4_000 }),
  ...(isLong && { "60 MB of text": flood({ wire: anthropic, kind: "text", chunk: 4_000, times: 15_000 }) }),
};

describe.each(modes.map((args) => ({ args })))("pith $args", ({ args }) => {
  test.each(Object.entries(cases))(
    "BOUND1 BOUND3 %s takes bounded memory, and the message says why",
    async (_, step) => {
      const { notes } = await expectBounded(step, [...args, "--model", models[anthropic]]);
      expect(notes).toContain("anthropic sent more than 1 MB in one reply, so it was stopped");
      expect(readdirSync(program.work)).toEqual([]);
    },
  );

  test("BOUND2 a line without an end takes bounded memory", async () => {
    const { notes } = await expectBounded(longLine, [...args, "--model", models[anthropic]]);
    expect(notes).toContain("anthropic sent one event of more than 8 MB");
  });
});

const others = wires.filter((wire) => isLong && wire !== anthropic);

test.each(others)("BOUND1 text, thinking and calls without an end take bounded memory through %s", async (wire) => {
  await program.serve(["Hello."]);
  const path = wire === "google-generative-ai" ? "/v1beta" : "/v1";
  for (const kind of ["text", "thinking", "call"] as const) {
    const step = flood({ wire, kind, chunk: 4_000 });
    await program.serve([step]);
    const { code, peakMb } = await program.run(
      ["-p", "--model", models[wire], "--base-url", `${program.url}${path}`, "go"],
      300_000,
    );
    expect({ kind, code }).toEqual({ kind, code: 1 });
    expect(peakMb).toBeLessThan(100 + MOST_MB);
  }
});

test("BOUND5 each of 200 calls in one reply gets a result", async () => {
  writeFileSync(join(program.work, "a.txt"), "hello\n");
  const call = { type: "call", name: "read", arguments: { path: "a.txt" } } as const;
  await program.serve([{ parts: Array.from({ length: 200 }, () => call) }, "Done."]);
  const { code, out } = await program.run(["-p", "--model", models[anthropic], "go"]);
  expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
  expect(session().match(/"role":"toolResult"/g)).toHaveLength(200);
});

test("BOUND4 a summary of 6 MB is rejected for its length, and one is built without a model", async () => {
  mkdirSync(program.home, { recursive: true });
  writeFileSync(join(program.home, "settings.json"), '{ "compaction": { "keepRecentTokens": 1000 } }');
  const lines = Array.from({ length: 2_000 }, (_, at) => `Line ${at} is about the work and its files.`).join("\n");
  const summary = flood({ wire: anthropic, kind: "text", chunk: 4_000, times: 1_500 });
  await program.serve([lines, lines, "Done.", summary, summary, summary]);
  const args = ["-p", "--model", models[anthropic]];
  const floor = await program.run([...args, "Begin."]);
  for (const words of ["Go on.", "Finish it."]) await program.run([...args, "-c", words]);
  const compacted = await program.run([...args, "-c", "/compact"]);
  console.log(`6 MB summary: ${compacted.cpuMs} ms CPU, ${compacted.peakMb} MB`);
  expect(compacted).toMatchObject({ code: 0, out: expect.stringContaining("summary built without a model") });
  expect(compacted.peakMb).toBeLessThan(floor.peakMb + MOST_MB);
});

function session(): string {
  const names = readdirSync(program.home, { recursive: true, encoding: "utf8" });
  const [name = ""] = names.filter((each) => each.endsWith(".jsonl") && !each.startsWith("audit"));
  return readFileSync(join(program.home, name), "utf8");
}

const again: Step = { parts: [{ type: "call", name: "ls", arguments: { path: "." } }] };

test.each([["-p"], ["-p --mode json"]])(
  "BOUND6 pith %s exits with 3 after --max-turns, and -c continues the session",
  async (words) => {
    const args = [...words.split(" "), "--model", models[anthropic], "--tools", "ls"];
    await program.serve([again, again, "Done."]);
    const first = await program.run([...args, "--max-turns", "2", "go"]);
    expect({ code: first.code, notes: first.notes }).toEqual({
      code: 3,
      notes: expect.stringContaining("the run stopped at the limit of 2 turns; to continue, run pith -p -c"),
    });
    if (words.includes("json")) expect(first.out).toContain('"code":"max-turns"');
    const then = await program.run([...args, "-c"]);
    expect({ code: then.code, out: then.out.includes("Done.") }).toEqual({ code: 0, out: true });
  },
);

test("BOUND6 print mode exits with 3 after 200 turns or --max-cost", async () => {
  const args = ["-p", "--model", models[anthropic], "--tools", "ls"];
  await program.serve([again]);
  const turns = await program.run([...args, "go"], 300_000);
  expect({ code: turns.code, notes: turns.notes }).toEqual({
    code: 3,
    notes: expect.stringContaining("at the limit of 200 turns"),
  });
  const cost = await program.run([...args, "--max-cost", "0.005", "go"]);
  expect({ code: cost.code, notes: cost.notes }).toEqual({
    code: 3,
    notes: expect.stringMatching(
      /stopped because it cost \$0\.0\d+; the limit is \$0\.005; to continue, run pith -p -c/,
    ),
  });
  const mistake = await program.run([...args, "--max-turns", "0", "go"]);
  expect({ code: mistake.code, notes: mistake.notes }).toEqual({
    code: 2,
    notes: expect.stringContaining("--max-turns takes a positive whole number"),
  });
});

test("BOUND7 stopping takes less than 200 ms of work in a large reply as in a small one", async () => {
  const step = flood({ wire: anthropic, kind: "text", chunk: 40 });
  const small = await measureStop(step, { model: models[anthropic], afterBytes: 30_000 });
  const large = await measureStop(step, { model: models[anthropic], afterBytes: 4_000_000 });
  console.log(`stop: ${JSON.stringify({ small, large })}`);
  expect(small.cpuMs).toBeLessThan(200);
  expect(large.cpuMs).toBeLessThan(200);
});
