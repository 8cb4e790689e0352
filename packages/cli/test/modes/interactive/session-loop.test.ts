/** Tests modes/interactive/session-loop.ts: leave a session, switch sessions. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DRAFT_TYPE } from "@pith/agent";
import { createSession, openStore } from "@pith/context/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CliArgs } from "../../../src/args/args.ts";
import { createSessionSwitch } from "../../../src/modes/interactive/session-loop.ts";
import { InteractiveProgram } from "../../support/interactive-program.ts";

describe("leave a session", () => {
  test("RES4 a session that could not be left stays usable and can be left again", async () => {
    const { leave, waitForNext, isLeaving } = createSessionSwitch();
    const args = { prompt: "" } as CliArgs;
    leave(args);
    expect(isLeaving()).toBe(true);
    expect(await waitForNext()).toBe(args);
    expect(isLeaving()).toBe(true);
    const again = waitForNext();
    expect(isLeaving()).toBe(false);
    leave(null);
    expect(await again).toBeNull();
  });
});

describe("switch sessions", () => {
  let program: InteractiveProgram;

  beforeEach(() => {
    program = new InteractiveProgram();
  });

  afterEach(async () => {
    await program.remove();
  });

  function files(): readonly string[] {
    const names = readdirSync(program.home, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".jsonl") && name.startsWith("sessions") && !name.includes(".pith"));
  }

  test("RES1 /new continues in an empty session, with the old one above a divider", async () => {
    await program.serve("first answer", "second answer");
    program.start("the first question");
    await program.waitForText("first answer");
    await program.submit("/new");
    await program.waitForText("── new session ─");
    await program.submit("another question");
    const screenText = await program.waitForText("second answer");
    expect(screenText.indexOf("the first question")).toBeLessThan(screenText.indexOf("── new session"));
    expect(await program.quit()).toMatchObject({ code: 0 });
    expect(files()).toHaveLength(2);
  });

  test("RES2 a session without a message leaves no file, also after /new", async () => {
    await program.serve("an answer");
    program.start();
    await program.waitForText("Pith");
    await program.submit("/new");
    await program.waitForText("── new session");
    expect(await program.quit()).toEqual({ code: 0 });
    expect(files()).toEqual([]);
  });

  test("SCR31 a new session begins with the version, model, folder, context files and a few keys; a resumed one does not", async () => {
    await program.serve("the clock is wrong");
    writeFileSync(`${program.folder}/AGENTS.md`, "Be brief.");
    program.start();
    const screenText = await program.waitForText("/ commands · @ files · ! shell · Esc stop");
    expect(screenText).toMatch(
      /Pith \d+\.\d+\.\d+\S*\n +anthropic\/claude-sonnet-5 in \S+\n +instructions: AGENTS\.md\n/,
    );
    await program.submit("why does it fail?");
    await program.waitForText("the clock is wrong");
    await program.quit();
    program.start("-c");
    expect(await program.waitForText("the clock is wrong")).not.toContain("@ files");
    await program.quit();
  });

  test("RES3 -c shows the last exchange of the last session, and quitting says how to continue", async () => {
    await program.serve("the clock is wrong");
    program.start("why does it fail?");
    await program.waitForText("the clock is wrong");
    const exit = await program.quit();
    expect(exit.message).toMatch(/^continue with: pith -c, or from any folder: pith --session [0-9a-f]{8}$/);
    program.start("-c");
    const screenText = await program.waitForText("the clock is wrong");
    expect(screenText).toContain("── why does it fail? ─");
    expect(screenText).toContain("> why does it fail?");
    await program.quit();
  });

  test("RES4 /resume of a session that another process writes is refused, and the current session continues", async () => {
    await program.serve("first", "second", "third");
    program.start("the session of somebody else");
    await program.waitForText("first");
    await program.quit();
    const [path = ""] = files();
    const held = await openStore(`${program.home}/${path}`);
    program.start("my own session");
    await program.waitForText("second");
    await program.submit(`/resume ${path.split("_").at(-1)?.slice(0, 8)}`);
    await program.waitForText(/staying here: .*is\s+writing\s+to\s+this\s+session/s);
    await program.submit("and I can go on");
    await program.waitForText("third");
    await program.quit();
    if (held.type === "opened") await held.store.close();
  });

  test("RES5 after an interrupted run, -c shows that it was interrupted and continues it only after Enter", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    await program.serve(call, "it has gone on");
    program.start("do it");
    await program.waitForText("sleep 60");
    await program.quit();
    program.start("-c");
    await program.waitForText("This session was interrupted");
    // ASK3: the letter only selects the row.
    program.terminal.press("y");
    await sleep(200);
    expect(await program.waitForText("Continue (y then Enter)")).not.toContain("it has gone on");
    program.terminal.press("\r");
    await program.waitForText("it has gone on");
    await program.quit();
  });

  test("RES30 a run that was stopped with Esc does not count as interrupted, during a tool call and during a reply", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    const slow = { parts: [{ type: "text", text: "slow words" }], pace: { waitMs: 60_000 } } as const;
    await program.serve(call, slow, "and now it is done");
    program.start("do it");
    await program.waitForText("sleep 60");
    program.terminal.press("\x1b");
    await program.waitForText("Stopped.");
    await program.quit();
    program.start("-c");
    await program.waitForText("sleep 60");
    // No letter of it would answer the question.
    program.terminal.type("more");
    expect(await program.waitForText(/^more|This session was interrupted/m)).not.toContain(
      "This session was interrupted",
    );
    program.terminal.press("\r");
    await program.waitForText(/● .*Esc/);
    program.terminal.press("\x1b");
    expect(await program.waitForText(/Stopped/)).not.toContain("This session was interrupted");
    await program.quit();
    program.start("-c");
    await program.waitForText("> more");
    await program.submit("go on");
    expect(await program.waitForText("and now it is done")).not.toContain("This session was interrupted");
    await program.quit();
  });

  test("RES6 a message from the command line is sent at once, with its file", async () => {
    await program.serve("read it");
    writeFileSync(`${program.folder}/a.txt`, "the text of the file");
    program.start("what is in", "@a.txt");
    const screenText = await program.waitForText("read it");
    expect(screenText).toContain("what is in");
    await program.quit();
  });

  test("RES3 a session that began with a file is named by the typed text", async () => {
    await program.serve("read it");
    writeFileSync(`${program.folder}/a.txt`, "the text of the file");
    program.start("what is in it?", "@a.txt");
    await program.waitForText("read it");
    await program.quit();
    program.start("-c");
    const screenText = await program.waitForText("── ");
    expect(screenText).toContain("what is in it? ─");
    expect(screenText).not.toContain("<file");
    await program.quit();
  });

  test("RES7 /clone continues in the copy", async () => {
    await program.serve("one", "two");
    program.start("the words to change");
    await program.waitForText("one");
    await program.submit("/clone");
    await program.waitForText("── the words to change ─");
    await program.submit("go on in the copy");
    await program.waitForText("two");
    await program.quit();
    expect(files()).toHaveLength(2);
  });

  test("RES20 a draft stored in a session is put into the editor", async () => {
    await program.serve("said after all");
    const made = await createSession({ cwd: program.folder, env: { PITH_HOME: program.home } });
    if (made.type !== "opened") throw new Error("no session could be made");
    const draft = { type: "custom", customType: DRAFT_TYPE, data: { text: "go on with the parser" } };
    const entry = { ...draft, id: "d1", parentId: null, timestamp: new Date().toISOString() };
    await made.store.append([entry as never], { expectedLeaf: null });
    await made.store.close();
    program.start("--session", made.store.path);
    await program.waitForText("go on with the parser");
    program.terminal.press("\r");
    await program.waitForText("said after all");
    await program.quit();
  });

  /** Put together here, so that no file of this repository holds one. */
  const SECRET = ["tok", "9f8e7d6c5b4a39281706fedc"].join("-");

  test("RES21 secrets of the environment are not shown in messages", async () => {
    await program.serve();
    process.env.DEPLOY_API_TOKEN = SECRET;
    program.start(`/help ${SECRET}`);
    const screenText = await program.waitForText("unknown command");
    expect(screenText).not.toContain(SECRET);
    await program.quit();
  });

  test("RES21 secrets in a stored draft or name are not shown, also not in the transcript", async () => {
    await program.serve();
    process.env.DEPLOY_API_TOKEN = SECRET;
    const made = await createSession({ cwd: program.folder, env: { PITH_HOME: program.home } });
    if (made.type !== "opened") throw new Error("no session could be made");
    const timestamp = new Date().toISOString();
    const draft = { type: "custom", customType: DRAFT_TYPE, data: { text: `deploy with ${SECRET}` } };
    const name = { type: "session_info", name: `named ${SECRET}` };
    const entries = [
      { ...draft, id: "d1", parentId: null, timestamp },
      { ...name, id: "n1", parentId: "d1", timestamp },
    ];
    await made.store.append(entries as never, { expectedLeaf: null });
    await made.store.close();
    program.start("--session", made.store.path);
    expect(await program.waitForText("deploy with")).not.toContain(SECRET);
    program.terminal.press("\x14");
    expect(await program.waitForText("Transcript · named")).not.toContain(SECRET);
    program.terminal.press("\x1b");
    await program.waitUntilGone("Transcript · named");
    program.terminal.press("\x15");
    await program.quit();
  });

  test("RES21 secrets in a changed file are not shown on the /diff page", async () => {
    const call = { type: "call", name: "write", arguments: { path: "deploy.txt", content: "draft\n" } } as const;
    await program.serve({ parts: [call] }, "Written.");
    process.env.DEPLOY_API_TOKEN = SECRET;
    program.start("--permission-mode", "all", "write it");
    await program.waitForText("Written.");
    writeFileSync(join(program.folder, "deploy.txt"), `deploy with ${SECRET}\n`);
    await program.submit("/diff");
    const page = await program.waitForText("+deploy with");
    expect(page).toContain("+deploy with PITH_SECRET_");
    expect(page).not.toContain(SECRET);
    program.terminal.press("\x1b");
    await program.waitUntilGone("+deploy with");
    await program.quit();
  });

  test("RES1 the notifier receives the events of the next session too", async () => {
    await program.serve("first answer", "second answer");
    const eventTypes: string[] = [];
    const hear = ({ type }: { readonly type: string }) => void eventTypes.push(type);
    program.notifier = { handleEvent: hear, setMethodSource: () => {}, notifyWhenAway: () => () => {} } as never;
    program.start("the first question");
    await program.waitForText("first answer");
    await program.submit("/new");
    await program.waitForText("── new session ─");
    await program.submit("another question");
    await program.waitForText("second answer");
    await program.quit();
    expect(eventTypes.filter((type) => type === "agent_start")).toHaveLength(2);
  });
});
