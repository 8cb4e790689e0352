/** The program as a process: after a compaction the files in use are in the next request again, as they are on disk, and no others. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Script, ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { isSummaryInstruction, TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

function isForSummary({ tools, body }: ScriptRequest): boolean {
  return tools.length === 0 || isSummaryInstruction(JSON.stringify(body));
}

function place(files: Readonly<Record<string, string | Uint8Array>>, root = program.folder): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Everything that a request says, as text. */
function textOf(body: unknown): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value && typeof value === "object") for (const each of Object.values(value)) collect(each);
  };
  collect(body);
  return texts.join("\n");
}

const call = (name: string, args: Readonly<Record<string, unknown>>): Extract<Step, { parts: unknown }> => ({
  parts: [{ type: "call", name, arguments: args }],
});

/** Long results, so that a compaction covers what was read before them. */
const listNumbers = (round: number, count: number): Step =>
  call("bash", { command: `seq ${round * 10_000} ${round * 10_000 + count}` });
const UNATTENDED = ["--permission-mode", "all", "--sandbox", "off"];

const TOKEN = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"}`;

test("RST1 RST3 RST5 RST8 RST9 after /compact in print mode, the next request has the files in use as they are on disk, without unreadable files and secrets", async () => {
  const outside = mkdtempSync(join(tmpdir(), "pith-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "far.ts"), "far away\n");
  place({
    "open.ts": "export const open = 1;\n",
    "key.ts": `export const key = "${TOKEN}";\n`,
    "shut.ts": "export const shut = 1;\n",
    "link.ts": "export const link = 1;\n",
    "gone.ts": "export const gone = 1;\n",
    "turned.ts": "export const turned = 1;\n",
  });
  const names = ["open.ts", "key.ts", "shut.ts", "link.ts", "gone.ts", "turned.ts"];
  const replies: Step[] = [
    ...names.map((path) => call("read", { path })),
    ...[1, 2, 3, 4].map((round) => listNumbers(round, 1_200)),
  ];
  const script: Script = (request: ScriptRequest): Step =>
    isForSummary(request) ? "ok" : (replies.shift() ?? "Done.");
  const server = await program.serve(script);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  place({ "settings.json": JSON.stringify({ contextWindow: 40_000 }) }, program.home);
  expect(await program.run([...UNATTENDED, "-p", `Read ${names.join(", ")}.`], { variables })).toMatchObject({
    code: 0,
  });
  place({ "open.ts": "export const open = 2;\n", "turned.ts": Uint8Array.from({ length: 99 }, (_, at) => at % 7) });
  for (const path of ["gone.ts", "link.ts"]) rmSync(join(program.folder, path));
  symlinkSync(join(outside, "far.ts"), join(program.folder, "link.ts"));
  const compacted = await program.run(["-p", "-c", "--deny", "read(shut.ts)", "/compact"], { variables });
  expect(compacted).toMatchObject({ code: 0 });
  expect(compacted.notes).toMatch(/· read 2 files again \(\d+ tokens\): key\.ts, open\.ts\n/);
  const [, tokens = ""] = /again \((\d+) tokens\)/.exec(compacted.notes) ?? [];
  const { out: report } = await program.run(["-p", "-c", "/context"], { variables });
  const [, reported = ""] = /files read again +(\d+) /.exec(report) ?? [];
  // The rows of the report add up to its total, so that one of them may be rounded up.
  expect(Math.abs(Number(reported) - Number(tokens))).toBeLessThanOrEqual(1);
  replies.push(call("edit", { path: "open.ts", oldText: "2", newText: "3" }), "Edited.");
  expect(await program.run(["-p", "-c", "Edit it."], { variables })).toMatchObject({ code: 0, out: "Edited.\n" });
  const sent = server.requests.filter(({ wire }) => wire).map(({ body }) => textOf(body));
  const [request = ""] = sent.slice(-2);
  expect(request).toMatch(
    /open\.ts \(changed by a command or another program since #\d+\):\n```\nexport const open = 2;\n```/,
  );
  expect(request).toMatch(/key\.ts \(unchanged since #\d+\):\n```\nexport const key = "(?!ghp_)/);
  expect(request).not.toMatch(/export const (?:open = 1|shut|link|gone|turned)|far away/);
  expect(sent.join()).not.toContain(TOKEN);
  expect(sent.at(-1)).not.toContain("has changed since it was read");
  expect(readFileSync(join(program.folder, "open.ts"), "utf8")).toBe("export const open = 3;\n");
});

test("RST4 RST6 RST8 RST10 after automatic compactions, the file in use is sent once and left out after the next compaction; summaries do not repeat it; a setting turns this off", async () => {
  place({ "work.ts": "export const version = 1; // the file in use\n" });
  let rounds = 0;
  const script: Script = (request: ScriptRequest): Step => {
    if (isForSummary(request)) return "ok";
    rounds += 1;
    if (rounds === 1) return call("read", { path: "work.ts" });
    return rounds < 36 ? listNumbers(rounds, 300) : "Done.";
  };
  const server = await program.serve(script);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const runWith = async (compaction: object): Promise<readonly unknown[]> => {
    rounds = 0;
    const from = server.requests.length;
    place(
      {
        "settings.json": JSON.stringify({
          contextWindow: 8_192,
          tools: ["read", "bash"],
          compaction,
        }),
      },
      program.home,
    );
    expect(await program.run([...UNATTENDED, "-p", "Work."], { variables })).toMatchObject({ code: 0, out: "Done.\n" });
    return server.requests
      .slice(from)
      .filter(({ wire }) => wire)
      .map(({ body }) => body);
  };
  const sent = await runWith({});
  const isSummaryRequest = (body: unknown): boolean => !JSON.stringify(body).includes('"tools":[{');
  const countCopies = (body: unknown): number => textOf(body).split("the file in use").length - 1;
  const turns = sent.filter((body) => !isSummaryRequest(body));
  const counts = turns.slice(1).map(countCopies);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect([...new Set(counts)]).toEqual([1, 0]);
  expect(turns.some((body) => textOf(body).includes("Pith has read these files again after the compaction"))).toBe(
    true,
  );
  const firstCopy = sent.findIndex((body) => textOf(body).includes("Pith has read these files again"));
  const transcripts = sent.slice(firstCopy).filter(isSummaryRequest);
  expect(transcripts.length).toBeGreaterThanOrEqual(2);
  expect(transcripts.map(countCopies)).not.toContain(1);
  const withoutFiles = await runWith({ rereadFiles: false });
  expect(withoutFiles.some((body) => textOf(body).includes("Pith has read these files again"))).toBe(false);
});
