/** The program in plain lines, from a pipe and in a terminal. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBuiltProgram } from "../../../support/built-program.ts";
import { TestProgram } from "../../../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const write = { type: "call", name: "write", arguments: { path: "a.txt", content: "new\n" } } as const;
const STORY = "## Goal\nKeep it.\n\n## Progress\n### Done\n- Done.\n\n## Next Steps\n1. Go on.";
const hostile = "\x1b[2J\x1b]0;title\x07Done.\u202e\n";

test("PLN16 a session from a pipe is read and printed line by line, without control sequences", async () => {
  const input = "write \\\na file\nand now?\n/diff\n/copy\n";
  const { code, out } = await program.runWithScript(["--plain"], [{ parts: [write] }, hostile, "Nothing."], { input });
  expect(code).toBe(0);
  expect(out).not.toMatch(/[[\p{Cc}\p{Cf}]--[\n]]/v);
  expect(out).toMatch(/^Tool write a\.txt: done, .*\nPith: \\x1b\[2J\\x1b\]0;title\\x07Done\.\\u\{202e\}$/m);
  expect(out).toMatch(/^Pith: Nothing\.$/m);
  expect(out).toMatch(/^--- \/dev\/null\n\+\+\+ b\/a\.txt\n@@ -0,0 \+1,1 @@\n\+new$/m);
  expect(readFileSync(join(program.folder, "a.txt"), "utf8")).toBe("new\n");
});

test("MET19 the context size is printed as an estimate after a compaction, until the next reply (B12)", async () => {
  writeFileSync(
    join(program.home, "settings.json"),
    '{ "contextWindow": 8192, "compaction": { "keepRecentTokens": 100 } }',
  );
  const { url } = await program.serve(({ tools }) => (tools.length === 0 ? STORY : "Done."));
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const input = `${"first ".repeat(1_000)}\nand now?\n/compact\nand then?\n`;
  const { out } = await program.run(["--plain"], { variables, input });
  const sizeLines = [...out.matchAll(/^Ready\. The context is (about )?\d+% full\.$/gm)].map(
    ([, about]) => about ?? "",
  );
  expect(sizeLines.slice(-4)).toEqual(["", "", "about ", ""]);
});

test("PLN18 a preview and a compaction each print the size after it, the price, the pins and the summarizer once", async () => {
  writeFileSync(
    join(program.home, "settings.json"),
    '{ "contextWindow": 8192, "compaction": { "keepRecentTokens": 100 } }',
  );
  const { url } = await program.serve(({ tools }) => (tools.length === 0 ? STORY : "Done."));
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const input = `${"first ".repeat(1_000)}\nand now?\n/pin Never push.\n/compact --preview\n/compact\n`;
  const { out } = await program.run(["--plain"], { variables, input });
  const preview =
    /^Would summarize \d+ entries and keep \d+: [\d,]+ → about [\d,]+ tokens\.\n1 of your messages stays word for word; 1 other does not fit whole, and the summary is asked to carry over its rules\.\n1 pin stays word for word\. Summary by anthropic\/claude-sonnet-5, for about \$(\S+)\.$/m;
  const compaction =
    /^Compacted: [\d,]+ → [\d,]+ tokens · \$(\S+) · summary by claude-sonnet-5\. Summarized \d+ entries \(all searchable\) · kept the newest \d+ · 1 pin\./m;
  const [predicted, actual] = [preview, compaction].map((pattern) => Number(pattern.exec(out)?.[1]));
  expect((predicted ?? 0) / (actual ?? 0)).toBeLessThan(2);
  expect((predicted ?? 0) / (actual ?? 0)).toBeGreaterThan(0.5);
  expect(out.match(/^Compacted: /gm)).toHaveLength(1);
  expect(out.match(/^Pinned: Never push\.$/gm)).toHaveLength(1);
});

test("PLN16 a permission question is printed in words and answered by a number", async () => {
  const ask = ["--plain", "--permission-mode", "ask"];
  const given = await program.runWithScript(ask, [{ parts: [write] }, "Done."], { input: "write\n1\n" });
  expect(given.out).toMatch(
    /^Allow this write to a\.txt\?\n(?:.*\n)*1\. Yes, just this once\n(?:.*\n)*0\. refuse and stop$/m,
  );
  expect(existsSync(join(program.folder, "a.txt"))).toBe(true);
});

test("ASK4 in plain mode only the number of a lasting permission grants it; every other line repeats the question", async () => {
  const ask = ["--plain", "--permission-mode", "ask"];
  const script = [{ parts: [write] }, "Done."];
  const lines = ["p", "y", "yes, always", "3x", "/compact", "33"];
  const refused = await program.runWithScript(ask, script, { input: `write\n${lines.join("\n")}\n4\n` });
  expect(refused.out.match(/Enter a number from 0 to 4\./g)).toHaveLength(lines.length);
  expect(existsSync(join(program.home, "permissions.json"))).toBe(false);
  expect(existsSync(join(program.folder, "a.txt"))).toBe(false);
  await program.runWithScript(ask, script, { input: "write\n3\n" });
  expect(readFileSync(join(program.home, "permissions.json"), "utf8")).toContain("edit(a.txt)");
});

test("PLN17 in a dumb terminal pith reads lines; Ctrl+C stops the run, and a second Ctrl+C quits", async () => {
  const { url } = await program.serve([
    { parts: [{ type: "text", text: "Wait." }], pace: { waitMs: 60_000 } },
    "Here I am.",
  ]);
  const tmux = terminalIn(program, url);
  try {
    await tmux.until("\n>");
    tmux.type("hello");
    await waitForRequest(program);
    tmux.press("C-c");
    await tmux.until("Ready.");
    await leave(tmux);
    await tmux.until("ended with 0");
  } finally {
    tmux.end();
  }
});

test("COM43 in plain mode a message during a compaction is queued, and another compaction is refused (B80)", async () => {
  writeFileSync(
    join(program.home, "settings.json"),
    '{ "contextWindow": 8192, "compaction": { "keepRecentTokens": 100 } }',
  );
  const gate = Promise.withResolvers<void>();
  const { url } = await program.serve(async ({ tools, number, text }) => {
    if (tools.length === 0) await gate.promise;
    if (tools.length === 0) return STORY;
    if (text.includes("meanwhile")) return "Heard behind it.";
    return number === 1 ? "first ".repeat(1_000) : "Done.";
  });
  const tmux = terminalIn(program, url);
  try {
    await tmux.until("\n>");
    tmux.type("begin");
    await tmux.until("Ready.");
    tmux.type("again");
    await tmux.until("Done.");
    tmux.type("/compact its beginning");
    await tmux.until("Compacting the context.");
    tmux.type("meanwhile");
    await tmux.until("A compaction is in progress. Your message will be sent when it finishes.");
    await tmux.until("Queued until the run ends: meanwhile");
    tmux.type("/compact its end");
    await tmux.until("not compacted: a compaction is in progress; wait for it to finish");
    gate.resolve();
    await tmux.until("Heard behind it.");
    tmux.type("/quit");
    await tmux.until("ended with 0");
  } finally {
    tmux.end();
  }
});

async function waitForRequest({ server }: TestProgram): Promise<void> {
  while (server.requests.length === 0) await sleep(50);
}

/** The second Ctrl+C counts within two seconds. Each one quits or shows the hint, again if the machine was too slow. */
async function leave(tmux: Tmux): Promise<void> {
  const hasQuit = (): boolean => tmux.shows("continue with: pith");
  while (!hasQuit()) {
    const hints = tmux.count("again to quit");
    tmux.press("C-c");
    while (tmux.count("again to quit") === hints && !hasQuit()) await sleep(50);
  }
}

interface Tmux {
  shows(text: string): boolean;
  count(text: string): number;
  until(text: string): Promise<void>;
  type(line: string): void;
  press(key: string): void;
  end(): void;
}

/** A server of its own, so that nobody else's is touched. */
function terminalIn({ folder, home, userHome }: TestProgram, url: string): Tmux {
  const run = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", `pith-plain-${process.pid}`, "-f", "/dev/null", ...args], { encoding: "utf8" });
  const bin = findBuiltProgram();
  const variables = {
    HOME: userHome,
    PITH_HOME: home,
    TERM: "dumb",
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: url,
  };
  const env = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  // The shell around it hears Ctrl+C, too.
  const call = `trap : INT; cd '${folder}' && ${env.join(" ")} '${process.execPath}' '${bin}'; echo ended with $?; sleep 60`;
  run("new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", call);
  const count = (text: string): number => run("capture-pane", "-p", "-S", "-").split(text).length - 1;
  const shows = (text: string): boolean => count(text) > 0;
  return {
    shows,
    count,
    until: async (text) => {
      while (!shows(text)) await sleep(100);
    },
    type: (line) => {
      run("send-keys", "-l", line);
      run("send-keys", "Enter");
    },
    press: (key) => void run("send-keys", key),
    end: () => void run("kill-server"),
  };
}
