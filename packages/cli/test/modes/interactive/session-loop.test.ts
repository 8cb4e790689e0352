/** Tests modes/interactive/session-loop.ts: leave a session, switch sessions. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DRAFT_TYPE } from "@pith/agent";
import { createSession, openStore } from "@pith/context/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CliArgs } from "../../../src/args/args.ts";
import { createSessionSwitch } from "../../../src/modes/interactive/session-loop.ts";
import { InteractiveProgram } from "./talk-ground.ts";

describe("leave a session", () => {
  test("RES4 a session that could not be left stays usable and can be left again", async () => {
    const { leave, waitForNext, isLeaving } = createSessionSwitch();
    const wish = { prompt: "" } as CliArgs;
    leave(wish);
    expect(isLeaving()).toBe(true);
    expect(await waitForNext()).toBe(wish);
    expect(isLeaving()).toBe(true);
    const again = waitForNext();
    expect(isLeaving()).toBe(false);
    leave(null);
    expect(await again).toBeNull();
  });
});

describe("switch sessions", () => {
  let ground: InteractiveProgram;

  beforeEach(() => {
    ground = new InteractiveProgram();
  });

  afterEach(async () => {
    await ground.remove();
  });

  function files(): readonly string[] {
    const names = readdirSync(ground.home, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".jsonl") && name.startsWith("sessions") && !name.includes(".pith"));
  }

  test("RES1 /new continues in an empty session, with the old one above a divider", async () => {
    await ground.serve("first answer", "second answer");
    ground.start("the first question");
    await ground.waitForText("first answer");
    await ground.submit("/new");
    await ground.waitForText("── new session ─");
    await ground.submit("another question");
    const seen = await ground.waitForText("second answer");
    expect(seen.indexOf("the first question")).toBeLessThan(seen.indexOf("── new session"));
    expect(await ground.quit()).toMatchObject({ code: 0 });
    expect(files()).toHaveLength(2);
  });

  test("RES2 a session without a message leaves no file, also after /new", async () => {
    await ground.serve("an answer");
    ground.start();
    await ground.waitForText("Pith");
    await ground.submit("/new");
    await ground.waitForText("── new session");
    expect(await ground.quit()).toEqual({ code: 0 });
    expect(files()).toEqual([]);
  });

  test("SCR31 a new session begins with the version, model, folder, context files and a few keys; a resumed one does not", async () => {
    await ground.serve("the clock is wrong");
    writeFileSync(`${ground.folder}/AGENTS.md`, "Be brief.");
    ground.start();
    const seen = await ground.waitForText("/ commands · @ files · ! shell · Esc stop");
    expect(seen).toMatch(/Pith \d+\.\d+\.\d+\S*\n +anthropic\/claude-sonnet-5 in \S+\n +instructions: AGENTS\.md\n/);
    await ground.submit("why does it fail?");
    await ground.waitForText("the clock is wrong");
    await ground.quit();
    ground.start("-c");
    expect(await ground.waitForText("the clock is wrong")).not.toContain("@ files");
    await ground.quit();
  });

  test("RES3 -c shows the last exchange of the last session, and quitting says how to continue", async () => {
    await ground.serve("the clock is wrong");
    ground.start("why does it fail?");
    await ground.waitForText("the clock is wrong");
    const exit = await ground.quit();
    expect(exit.message).toMatch(/^continue with: pith -c, or from any folder: pith --session [0-9a-f]{8}$/);
    ground.start("-c");
    const seen = await ground.waitForText("the clock is wrong");
    expect(seen).toContain("── why does it fail? ─");
    expect(seen).toContain("> why does it fail?");
    await ground.quit();
  });

  test("RES4 /resume of a session that another process writes is refused, and the current session continues", async () => {
    await ground.serve("first", "second", "third");
    ground.start("the session of somebody else");
    await ground.waitForText("first");
    await ground.quit();
    const [path = ""] = files();
    const held = await openStore(`${ground.home}/${path}`);
    ground.start("my own session");
    await ground.waitForText("second");
    await ground.submit(`/resume ${path.split("_").at(-1)?.slice(0, 8)}`);
    await ground.waitForText(/staying here: .*is\s+writing\s+to\s+this\s+session/s);
    await ground.submit("and I can go on");
    await ground.waitForText("third");
    await ground.quit();
    if (held.type === "opened") await held.store.close();
  });

  test("RES5 after an interrupted run, -c shows that it was interrupted and continues it only after Enter", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    await ground.serve(call, "it has gone on");
    ground.start("do it");
    await ground.waitForText("sleep 60");
    await ground.quit();
    ground.start("-c");
    await ground.waitForText("This session was interrupted");
    // ASK3: the letter only selects the row.
    ground.terminal.press("y");
    await sleep(200);
    expect(await ground.waitForText("Continue (y then Enter)")).not.toContain("it has gone on");
    ground.terminal.press("\r");
    await ground.waitForText("it has gone on");
    await ground.quit();
  });

  test("RES30 a run that was stopped with Esc does not count as interrupted, during a tool call and during a reply", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    const slow = { parts: [{ type: "text", text: "slow words" }], pace: { waitMs: 60_000 } } as const;
    await ground.serve(call, slow, "and now it is done");
    ground.start("do it");
    await ground.waitForText("sleep 60");
    ground.terminal.press("\x1b");
    await ground.waitForText("Stopped.");
    await ground.quit();
    ground.start("-c");
    await ground.waitForText("sleep 60");
    // No letter of it would answer the question.
    ground.terminal.type("more");
    expect(await ground.waitForText(/^more|This session was interrupted/m)).not.toContain(
      "This session was interrupted",
    );
    ground.terminal.press("\r");
    await ground.waitForText(/● .*Esc/);
    ground.terminal.press("\x1b");
    expect(await ground.waitForText(/Stopped/)).not.toContain("This session was interrupted");
    await ground.quit();
    ground.start("-c");
    await ground.waitForText("> more");
    await ground.submit("go on");
    expect(await ground.waitForText("and now it is done")).not.toContain("This session was interrupted");
    await ground.quit();
  });

  test("RES6 a message from the command line is sent at once, with its file", async () => {
    await ground.serve("read it");
    writeFileSync(`${ground.folder}/a.txt`, "the text of the file");
    ground.start("what is in", "@a.txt");
    const seen = await ground.waitForText("read it");
    expect(seen).toContain("what is in");
    await ground.quit();
  });

  test("RES3 a session that began with a file is named by the typed text", async () => {
    await ground.serve("read it");
    writeFileSync(`${ground.folder}/a.txt`, "the text of the file");
    ground.start("what is in it?", "@a.txt");
    await ground.waitForText("read it");
    await ground.quit();
    ground.start("-c");
    const seen = await ground.waitForText("── ");
    expect(seen).toContain("what is in it? ─");
    expect(seen).not.toContain("<file");
    await ground.quit();
  });

  test("RES7 /clone continues in the copy", async () => {
    await ground.serve("one", "two");
    ground.start("the words to change");
    await ground.waitForText("one");
    await ground.submit("/clone");
    await ground.waitForText("── the words to change ─");
    await ground.submit("go on in the copy");
    await ground.waitForText("two");
    await ground.quit();
    expect(files()).toHaveLength(2);
  });

  test("RES20 a draft stored in a session is put into the editor", async () => {
    await ground.serve("said after all");
    const made = await createSession({ cwd: ground.folder, env: { PITH_HOME: ground.home } });
    if (made.type !== "opened") throw new Error("no session could be made");
    const draft = { type: "custom", customType: DRAFT_TYPE, data: { text: "go on with the parser" } };
    const entry = { ...draft, id: "d1", parentId: null, timestamp: new Date().toISOString() };
    await made.store.append([entry as never], { expectedLeaf: null });
    await made.store.close();
    ground.start("--session", made.store.path);
    await ground.waitForText("go on with the parser");
    ground.terminal.press("\r");
    await ground.waitForText("said after all");
    await ground.quit();
  });

  /** Put together here, so that no file of this repository holds one. */
  const SECRET = ["tok", "9f8e7d6c5b4a39281706fedc"].join("-");

  test("RES21 secrets of the environment are not shown in messages", async () => {
    await ground.serve();
    process.env.DEPLOY_API_TOKEN = SECRET;
    ground.start(`/help ${SECRET}`);
    const seen = await ground.waitForText("unknown command");
    expect(seen).not.toContain(SECRET);
    await ground.quit();
  });

  test("RES21 secrets in a stored draft or name are not shown, also not in the transcript", async () => {
    await ground.serve();
    process.env.DEPLOY_API_TOKEN = SECRET;
    const made = await createSession({ cwd: ground.folder, env: { PITH_HOME: ground.home } });
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
    ground.start("--session", made.store.path);
    expect(await ground.waitForText("deploy with")).not.toContain(SECRET);
    ground.terminal.press("\x14");
    expect(await ground.waitForText("Transcript · named")).not.toContain(SECRET);
    ground.terminal.press("\x1b");
    await ground.waitUntilGone("Transcript · named");
    ground.terminal.press("\x15");
    await ground.quit();
  });

  test("RES21 secrets in a changed file are not shown on the /diff page", async () => {
    const call = { type: "call", name: "write", arguments: { path: "deploy.txt", content: "draft\n" } } as const;
    await ground.serve({ parts: [call] }, "Written.");
    process.env.DEPLOY_API_TOKEN = SECRET;
    ground.start("--permission-mode", "all", "write it");
    await ground.waitForText("Written.");
    writeFileSync(join(ground.folder, "deploy.txt"), `deploy with ${SECRET}\n`);
    await ground.submit("/diff");
    const page = await ground.waitForText("+deploy with");
    expect(page).toContain("+deploy with PITH_SECRET_");
    expect(page).not.toContain(SECRET);
    ground.terminal.press("\x1b");
    await ground.waitUntilGone("+deploy with");
    await ground.quit();
  });

  test("RES1 the notifier receives the events of the next session too", async () => {
    await ground.serve("first answer", "second answer");
    const heard: string[] = [];
    const hear = ({ type }: { readonly type: string }) => void heard.push(type);
    ground.notifier = { handleEvent: hear, setMethodSource: () => {}, notifyWhenAway: () => () => {} } as never;
    ground.start("the first question");
    await ground.waitForText("first answer");
    await ground.submit("/new");
    await ground.waitForText("── new session ─");
    await ground.submit("another question");
    await ground.waitForText("second answer");
    await ground.quit();
    expect(heard.filter((type) => type === "agent_start")).toHaveLength(2);
  });
});
