/** Tests modes/interactive/session-loop.ts: leave a session, switch sessions. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DRAFT_TYPE } from "@pith/agent";
import { createSession, openStore } from "@pith/context/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CliArgs } from "../../../src/args/args.ts";
import { createSessionSwitch } from "../../../src/modes/interactive/session-loop.ts";
import { TalkGround } from "./talk-ground.ts";

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
  let ground: TalkGround;

  beforeEach(() => {
    ground = new TalkGround();
  });

  afterEach(async () => {
    await ground.clear();
  });

  function files(): readonly string[] {
    const names = readdirSync(ground.home, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".jsonl") && name.startsWith("sessions") && !name.includes(".pith"));
  }

  test("RES1 /new continues in an empty session, with the old one above a divider", async () => {
    await ground.serve("first answer", "second answer");
    ground.start("the first question");
    await ground.until("first answer");
    await ground.say("/new");
    await ground.until("── new session ─");
    await ground.say("another question");
    const seen = await ground.until("second answer");
    expect(seen.indexOf("the first question")).toBeLessThan(seen.indexOf("── new session"));
    expect(await ground.leave()).toMatchObject({ code: 0 });
    expect(files()).toHaveLength(2);
  });

  test("RES2 a session without a message leaves no file, also after /new", async () => {
    await ground.serve("an answer");
    ground.start();
    await ground.until("Pith");
    await ground.say("/new");
    await ground.until("── new session");
    expect(await ground.leave()).toEqual({ code: 0 });
    expect(files()).toEqual([]);
  });

  test("SCR31 a new session begins with the version, model, folder, context files and a few keys; a resumed one does not", async () => {
    await ground.serve("the clock is wrong");
    writeFileSync(`${ground.folder}/AGENTS.md`, "Be brief.");
    ground.start();
    const seen = await ground.until("/ commands · @ files · ! shell · Esc stop");
    expect(seen).toMatch(/Pith \d+\.\d+\.\d+\S*\n +anthropic\/claude-sonnet-5 in \S+\n +instructions: AGENTS\.md\n/);
    await ground.say("why does it fail?");
    await ground.until("the clock is wrong");
    await ground.leave();
    ground.start("-c");
    expect(await ground.until("the clock is wrong")).not.toContain("@ files");
    await ground.leave();
  });

  test("RES3 -c shows the last exchange of the last session, and quitting says how to continue", async () => {
    await ground.serve("the clock is wrong");
    ground.start("why does it fail?");
    await ground.until("the clock is wrong");
    const exit = await ground.leave();
    expect(exit.message).toMatch(/^continue with: pith -c, or from any folder: pith --session [0-9a-f]{8}$/);
    ground.start("-c");
    const seen = await ground.until("the clock is wrong");
    expect(seen).toContain("── why does it fail? ─");
    expect(seen).toContain("> why does it fail?");
    await ground.leave();
  });

  test("RES4 /resume of a session that another process writes is refused, and the current session continues", async () => {
    await ground.serve("first", "second", "third");
    ground.start("the session of somebody else");
    await ground.until("first");
    await ground.leave();
    const [path = ""] = files();
    const held = await openStore(`${ground.home}/${path}`);
    ground.start("my own session");
    await ground.until("second");
    await ground.say(`/resume ${path.split("_").at(-1)?.slice(0, 8)}`);
    await ground.until(/staying here: .*is\s+writing\s+to\s+this\s+session/s);
    await ground.say("and I can go on");
    await ground.until("third");
    await ground.leave();
    if (held.type === "opened") await held.store.close();
  });

  test("RES5 after an interrupted run, -c shows that it was interrupted and continues it only after Enter", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    await ground.serve(call, "it has gone on");
    ground.start("do it");
    await ground.until("sleep 60");
    await ground.leave();
    ground.start("-c");
    await ground.until("This session was interrupted");
    // ASK3: the letter only selects the row.
    ground.terminal.press("y");
    await sleep(200);
    expect(await ground.until("Continue (y then Enter)")).not.toContain("it has gone on");
    ground.terminal.press("\r");
    await ground.until("it has gone on");
    await ground.leave();
  });

  test("RES30 a run that was stopped with Esc does not count as interrupted, during a tool call and during a reply", async () => {
    const call = { parts: [{ type: "call", name: "bash", arguments: { command: "sleep 60" } }] } as const;
    const slow = { parts: [{ type: "text", text: "slow words" }], pace: { waitMs: 60_000 } } as const;
    await ground.serve(call, slow, "and now it is done");
    ground.start("do it");
    await ground.until("sleep 60");
    ground.terminal.press("\x1b");
    await ground.until("Stopped.");
    await ground.leave();
    ground.start("-c");
    await ground.until("sleep 60");
    // No letter of it would answer the question.
    ground.terminal.type("more");
    expect(await ground.until(/^more|This session was interrupted/m)).not.toContain("This session was interrupted");
    ground.terminal.press("\r");
    await ground.until(/● .*Esc/);
    ground.terminal.press("\x1b");
    expect(await ground.until(/Stopped/)).not.toContain("This session was interrupted");
    await ground.leave();
    ground.start("-c");
    await ground.until("> more");
    await ground.say("go on");
    expect(await ground.until("and now it is done")).not.toContain("This session was interrupted");
    await ground.leave();
  });

  test("RES6 a message from the command line is sent at once, with its file", async () => {
    await ground.serve("read it");
    writeFileSync(`${ground.folder}/a.txt`, "the text of the file");
    ground.start("what is in", "@a.txt");
    const seen = await ground.until("read it");
    expect(seen).toContain("what is in");
    await ground.leave();
  });

  test("RES3 a session that began with a file is named by the typed text", async () => {
    await ground.serve("read it");
    writeFileSync(`${ground.folder}/a.txt`, "the text of the file");
    ground.start("what is in it?", "@a.txt");
    await ground.until("read it");
    await ground.leave();
    ground.start("-c");
    const seen = await ground.until("── ");
    expect(seen).toContain("what is in it? ─");
    expect(seen).not.toContain("<file");
    await ground.leave();
  });

  test("RES7 /clone continues in the copy", async () => {
    await ground.serve("one", "two");
    ground.start("the words to change");
    await ground.until("one");
    await ground.say("/clone");
    await ground.until("── the words to change ─");
    await ground.say("go on in the copy");
    await ground.until("two");
    await ground.leave();
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
    await ground.until("go on with the parser");
    ground.terminal.press("\r");
    await ground.until("said after all");
    await ground.leave();
  });

  /** Put together here, so that no file of this repository holds one. */
  const SECRET = ["tok", "9f8e7d6c5b4a39281706fedc"].join("-");

  test("RES21 secrets of the environment are not shown in messages", async () => {
    await ground.serve();
    process.env.DEPLOY_API_TOKEN = SECRET;
    ground.start(`/help ${SECRET}`);
    const seen = await ground.until("unknown command");
    expect(seen).not.toContain(SECRET);
    await ground.leave();
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
    expect(await ground.until("deploy with")).not.toContain(SECRET);
    ground.terminal.press("\x14");
    expect(await ground.until("Transcript · named")).not.toContain(SECRET);
    ground.terminal.press("\x1b");
    await ground.gone("Transcript · named");
    ground.terminal.press("\x15");
    await ground.leave();
  });

  test("RES21 secrets in a changed file are not shown on the /diff page", async () => {
    const call = { type: "call", name: "write", arguments: { path: "deploy.txt", content: "draft\n" } } as const;
    await ground.serve({ parts: [call] }, "Written.");
    process.env.DEPLOY_API_TOKEN = SECRET;
    ground.start("--permission-mode", "all", "write it");
    await ground.until("Written.");
    writeFileSync(join(ground.folder, "deploy.txt"), `deploy with ${SECRET}\n`);
    await ground.say("/diff");
    const page = await ground.until("+deploy with");
    expect(page).toContain("+deploy with PITH_SECRET_");
    expect(page).not.toContain(SECRET);
    ground.terminal.press("\x1b");
    await ground.gone("+deploy with");
    await ground.leave();
  });

  test("RES1 the notifier receives the events of the next session too", async () => {
    await ground.serve("first answer", "second answer");
    const heard: string[] = [];
    const hear = ({ type }: { readonly type: string }) => void heard.push(type);
    ground.notifier = { handleEvent: hear, setMethodSource: () => {}, notifyWhenAway: () => () => {} } as never;
    ground.start("the first question");
    await ground.until("first answer");
    await ground.say("/new");
    await ground.until("── new session ─");
    await ground.say("another question");
    await ground.until("second answer");
    await ground.leave();
    expect(heard.filter((type) => type === "agent_start")).toHaveLength(2);
  });
});
