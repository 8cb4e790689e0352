/** What is found in sessions, and what is written of them for others. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { idOf, SubcommandRunner } from "../../support/subcommand-runner.ts";

let runner: SubcommandRunner;

beforeEach(() => {
  runner = new SubcommandRunner();
});

afterEach(() => runner.remove());

interface Found {
  readonly hits: readonly { readonly session: { readonly path: string } }[];
}

test("SUB17 a search finds words in all sessions, in a folder or in a time range, and quoted words as a phrase", async () => {
  const here = await runner.add({ prompt: "The retry queue is flaky.", age: 2 });
  const there = await runner.add({ prompt: "A queue to retry, flaky too.", age: 40, cwd: "/elsewhere" });
  const found = async (...args: string[]): Promise<unknown> => {
    const { hits } = (await runner.json("sessions", "search", ...args)) as Found;
    return hits.map(({ session }) => session.path);
  };
  expect(await found("flaky", "queue")).toEqual([here, there]);
  expect(await found("flaky", "--limit", "1")).toEqual([here]);
  expect(await found("flaky", "--since", "30d")).toEqual([here]);
  expect(await found("flaky", "--folder", "/elsewhere")).toEqual([there]);
  expect(await found("retry queue")).toEqual([here]);
  const { out } = await runner.run("sessions", "search", "flaky");
  expect(out).toMatch(
    new RegExp(`^${idOf(here).slice(0, 8)}  \\S+ \\S+  user  .*\\n    The retry queue is flaky\\.\\n`),
  );
  expect((await runner.run("sessions", "search", "nowhere-to-be-found")).out).toBe("No matches.\n");
  expect(await runner.run("sessions", "search", "x", "--since", "gestern")).toMatchObject({ code: 2 });
});

test("FIND4 a search with more than 2,000 matches notes that older ones are left out", async () => {
  const path = await runner.add({ prompt: "The queue." });
  const message = { role: "user", content: "Another queue." };
  appendFileSync(path, `${JSON.stringify({ type: "message", id: "more", parentId: null, message })}\n`.repeat(2_000));
  const { notes } = await runner.run("sessions", "search", "queue");
  expect(notes.join("\n")).toContain("add a word to find older matches");
  expect((await runner.run("sessions", "search", "the", "queue")).notes).toEqual([]);
});

test("SUB18 an export has the requested format and branch, overwrites nothing, and has no secrets", async () => {
  runner.environment = { ...runner.environment, DEPLOY_TOKEN: `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}` };
  const path = await runner.add({ prompt: "Deploy with Zk9-vT3qLm7wXb2rNc8sPd4f now.", answers: 1 });
  const { nodes } = (await runner.json("sessions", "show", path, "--tree")) as { nodes: readonly { id: string }[] };
  const first = nodes[0]?.id ?? "";
  const written = async (...args: string[]): Promise<string> => {
    const { path: to } = (await runner.json("sessions", "export", ...args)) as { path: string };
    return readFileSync(to, "utf8");
  };
  const texts = [
    await written("last", "--as", "markdown", "--branch", first),
    await written(idOf(path), "-o", "talk.html", "--folder", join(path, "..")),
    await written(path, "--as", "pi"),
  ];
  for (const text of texts) {
    expect(text).toContain("Deploy with");
    expect(text).not.toContain("vT3qLm7wXb2r");
  }
  expect([texts[0]?.includes("Answer 1."), texts[1]?.includes("Answer 1.")]).toEqual([false, true]);
  expect(existsSync(join(runner.folder, "talk.html"))).toBe(true);
  expect(await runner.run("sessions", "export", path, "--output", "talk.html")).toMatchObject({ code: 2 });
  expect(await runner.run("sessions", "export", path, "--as", "pdf")).toMatchObject({ code: 2 });
});
