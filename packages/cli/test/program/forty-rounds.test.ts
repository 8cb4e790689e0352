/** The program at work with every tool, on every protocol, with a restart in the middle. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ReplyPart, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

const providers = [
  { model: "anthropic/claude-sonnet-4-5", path: "/v1", key: "ANTHROPIC_API_KEY" },
  { model: "openai/gpt-5", path: "/v1", key: "OPENAI_API_KEY" },
  { model: "openrouter/qwen/qwen3-coder", path: "/v1", key: "OPENROUTER_API_KEY" },
  { model: "google/gemini-3-pro-preview", path: "/v1beta", key: "GEMINI_API_KEY" },
] as const;

const ROUNDS = 40;
const STOP_AFTER = 21;

let program: TestProgram;
let pages: Server;
let page: string;

beforeEach(async () => {
  program = new TestProgram();
  pages = createServer((_, answer) => answer.end("<title>A page</title><p>Nothing to see.</p>"));
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
  page = `http://${host}/`;
  mkdirSync(program.home, { recursive: true });
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ fetchHosts: [host], tools: ["all"] }));
});

afterEach(async () => {
  pages.close();
  await program.remove();
});

test.each(providers)(
  "PRT10 $model: forty turns with every tool count usage and cost as the server does, and a restart extends the last request",
  async ({ model, path, key }) => {
    const server = await program.serve(rounds());
    const args = [
      "-p",
      "--permission-mode",
      "all",
      "--allow",
      "fetch(127.0.0.1)",
      "--model",
      model,
      "--base-url",
      server.url + path,
    ];
    const variables = { [key]: "any" };
    const first = await program.run([...args, "Do the first half."], { variables });
    const second = await program.run([...args, "-c", "Do the rest."], { variables });
    expect([first, second]).toMatchObject([
      { code: 0, out: "Half of it is done.\n" },
      { code: 0, out: "All done.\n" },
    ]);
    const requests = server.requests.filter(({ wire }) => wire);
    expect(requests.map(({ outcome }) => outcome)).toEqual(Array.from({ length: ROUNDS + 2 }, () => "said"));
    expect(shortOf(requests.map(({ body }) => body))).toEqual([]);
    const entries = program
      .readSession()
      .split("\n")
      .flatMap((line) => (line ? [JSON.parse(line)] : []));
    const results = entries.flatMap(({ message }) => (message?.role === "toolResult" ? [message] : []));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(new Set(results.map(({ toolName }) => toolName)).size).toBe(8);
    const replies = entries.flatMap(({ message }) => (message?.role === "assistant" ? [message] : []));
    for (const count of ["input", "output", "cacheRead", "cacheWrite"] as const)
      expect(sum(replies.map(({ usage }) => usage[count]))).toBe(sum(requests.map(({ usage }) => usage?.[count] ?? 0)));
    expect(replies.every(({ usage }) => usage.cost.total > 0)).toBe(true);
    expect(readFileSync(join(program.folder, "a.txt"), "utf8")).toContain("edited 40");
  },
);

/** A model that goes through the tools in turn, and answers when half of it is done. */
function rounds(): (request: unknown) => Step {
  let round = 0;
  return () => {
    round += 1;
    if (round === STOP_AFTER) return "Half of it is done.";
    const at = round < STOP_AFTER ? round : round - 1;
    return at > ROUNDS ? "All done." : { parts: [{ type: "text", text: `Round ${at}.` }, ...parts(at)] };
  };
}

function parts(at: number): readonly ReplyPart[] {
  const call = (name: string, args: Readonly<Record<string, unknown>>): ReplyPart => ({
    type: "call",
    name,
    arguments: args,
  });
  switch (at % 8) {
    case 1:
      return [
        call("write", { path: `b${at}.txt`, content: `line ${at}\n`.repeat(50) }),
        call("read", { path: `b${at - 8}.txt` }),
      ].slice(0, at > 8 ? 2 : 1);
    case 2:
      return [call("bash", { command: `echo edited ${at - 2} > a.txt; seq ${at}` })];
    case 3:
      return [call("read", { path: "a.txt" }), call("bash", { command: "wc -l *.txt" })];
    case 4:
      return [call("grep", { pattern: "line" })];
    case 5:
      return [call("find", { glob: "*.txt" }), call("ls", {})];
    case 6:
      return [call("fetch", { url: page })];
    case 7:
      return [call("read", { path: "a.txt" })];
    default:
      return [call("edit", { path: "a.txt", edits: [{ oldText: "edited", newText: `edited ${at}, then` }] })];
  }
}

/** The requests that do not begin with the whole of the one before them. */
function shortOf(bodies: readonly unknown[]): readonly number[] {
  const texts = bodies.map(pieces);
  return texts.flatMap((text, at) => (at > 0 && !begins(text, texts[at - 1] ?? []) ? [at] : []));
}

/** Tools, system and messages, without the marks for the cache, which wander. */
function pieces(body: unknown): readonly string[] {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = body as Record<string, unknown>;
  const requestMessages = (messages ?? input ?? contents) as readonly unknown[];
  return [tools, system ?? instructions ?? systemInstruction ?? null, ...requestMessages].map((piece) =>
    JSON.stringify(piece, (name, value) => (name === "cache_control" ? undefined : value)),
  );
}

function begins(text: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((piece, at) => piece === text[at]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
