/** Compacts around a chosen entry with the program itself: the subcommand, print mode and what the model is sent afterwards. */

import type { ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const summary = (fact: string): string =>
  `## Goal\n- talk\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the talk\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- ${fact}`;

/** Answers each question at length; summaries are numbered. */
async function serve(): Promise<(...args: readonly string[]) => ReturnType<TestProgram["run"]>> {
  let summaries = 0;
  const { url } = await program.serve(({ tools, body }: ScriptRequest): Step => {
    if (tools.length === 0) return summary(`this is summary ${++summaries}`);
    const [, number = "?"] = [...JSON.stringify(body).matchAll(/question (\d+)/g)].at(-1) ?? [];
    return `Answer ${number} begins. ${"some more words on it ".repeat(400)}`;
  });
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  return (...args) => program.run(args, { variables });
}

const lastRequest = (): string => JSON.stringify(program.server.requests.at(-1)?.body);

/** The number of the entry with this text. */
async function numberOf(run: Awaited<ReturnType<typeof serve>>, text: string): Promise<string> {
  const { out } = await run("sessions", "show", "last", "--json");
  const { entries } = JSON.parse(out) as { readonly entries: readonly { readonly number: number }[] };
  const entry = entries.find((each) => JSON.stringify(each).includes(text));
  if (!entry) throw new Error(`no entry has ${text}`);
  return `#${entry.number}`;
}

test("CUT12 CUT8 CUT10 pith compact --up-to keeps an entry and all after it, --from-originals rewrites the summary, and /undo reverts", async () => {
  const run = await serve();
  await run("-p", "question 1");
  for (const number of [2, 3, 4]) await run("-p", "-c", `question ${number}`);
  const third = await numberOf(run, "question 3");
  const { code, out } = await run("compact", "last", "--up-to", third);
  expect([code, out]).toEqual([0, expect.stringMatching(/^Compacted: .* entries summarized, \d+ kept;.*\/undo\n$/)]);
  const again = await run("compact", "last", "--from-originals");
  expect(again.out).toMatch(/entries summarized from the originals, \d+ kept; 1 call/);
  expect(lastRequest()).toContain("Answer 1 begins");
  expect(lastRequest()).not.toContain("this is summary 1");
  await run("-p", "-c", "question 5");
  expect(lastRequest()).toContain("this is summary 2");
  expect(lastRequest()).toContain("Answer 3 begins");
  expect(lastRequest()).toContain("Answer 4 begins");
  expect(lastRequest()).not.toContain("Answer 2 begins");
  for (const _ of [1, 2]) await run("-p", "-c", "/undo");
  await run("-p", "-c", "question 6");
  expect(lastRequest()).toContain("Answer 1 begins");
  expect(lastRequest()).not.toContain("this is summary");
});

test("CUT12 in print mode, /compact --from previews and replaces everything after an entry", async () => {
  const run = await serve();
  await run("-p", "question 1");
  for (const number of [2, 3]) await run("-p", "-c", `question ${number}`);
  const first = await numberOf(run, "Answer 1 begins");
  const requestCount = program.server.requests.length;
  const preview = await run("-p", "-c", `/compact --from ${first} --preview`);
  expect(preview.out).toMatch(
    new RegExp(`^Would replace 4 entries after ${first} with a summary and keep the \\d+ before`),
  );
  expect(preview.out).toMatch(/Summary by anthropic\/\S+, for about \$0\.\d+/);
  expect(program.server.requests).toHaveLength(requestCount);
  const { out } = await run("-p", "-c", `/compact --from ${first} mind the names`);
  expect(out).toMatch(/^Compacted.*: a summary replaces 4 entries after #\d+\. To go back to them: \/tree \S+\.\n$/);
  expect(lastRequest()).toContain("mind the names");
  await run("-p", "-c", "question 4");
  expect(lastRequest()).toContain("Answer 1 begins");
  expect(lastRequest()).toContain("this is summary 1");
  expect(lastRequest()).not.toContain("Answer 2 begins");
});
