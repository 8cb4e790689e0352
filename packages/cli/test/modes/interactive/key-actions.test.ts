/** Tests modes/interactive/keys/actions.ts: bound keys, queue keys. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import { allowAll, listUserTexts, startBusyApp, waitUntilIdle } from "./editor/at-work.ts";
import { SUMMARY } from "./long-talk.ts";
import { startInteractiveApp } from "./talk-on.ts";

describe("bound keys", () => {
  const CTRL_T = "\x14";
  const ALT_S = "\x1bs";

  test("MAN18 an error in a key's action is shown, and the session continues", async () => {
    const talk = await startInteractiveApp(["hello"]);
    talk.screen.showPanel = () => Promise.reject(new Error("no page today"));
    for (const key of [CTRL_T, "\x1bc", "\x0c"]) talk.terminal.press(key);
    await talk.waitForText(/no page today[\s\S]*no page today[\s\S]*no page today/);
    talk.submit("hi");
    await talk.waitForText("hello");
  });

  test("MAN18 opening the transcript after the session file was deleted leaves the screen usable", async () => {
    const talk = await startInteractiveApp(["hello", "hello again"]);
    talk.submit("hi");
    await talk.waitForText("hello");
    rmSync(join(talk.home, "sessions"), { recursive: true, force: true });
    talk.terminal.press(CTRL_T);
    await new Promise((resolve) => setTimeout(resolve, 200));
    talk.terminal.press("\x1b");
    await talk.waitForText("hello");
  });

  test("MAN18 a key that has nothing to show gives the same message as its command", async () => {
    const talk = await startInteractiveApp([]);
    talk.terminal.press(ALT_S);
    await talk.waitForText("The model sees nothing yet.");
  });
});

describe("queue keys", () => {
  const ALT_ENTER = "\x1b\r";
  const ALT_UP = "\x1b[1;3A";
  const ESC = "\x1b";

  test("TYP1 during a run, Enter queues a message for the next request and Alt+Enter for the end of the run", async () => {
    const talk = await startBusyApp(["done with it", "all done"]);
    talk.terminal.type("afterwards this");
    talk.terminal.press(ALT_ENTER);
    talk.submit("first this");
    await talk.waitForText("↳ next request: first this");
    await talk.waitForText("↳ when done:    afterwards this");
    talk.finishCommand();
    await talk.waitForText("all done");
    await waitUntilIdle(talk);
    expect(talk.server.requests).toHaveLength(3);
    expect(listUserTexts(talk, 1)).toEqual(expect.arrayContaining(["first this"]));
    expect(listUserTexts(talk, 1)).not.toContain("afterwards this");
    expect(listUserTexts(talk, 2)).toContain("afterwards this");
    expect(talk.screen.state.queue).toEqual({ steering: [], followUp: [] });
  });

  test("TYP1 messages sent in quick succession are neither lost, duplicated nor reordered", async () => {
    const talk = await startInteractiveApp(
      Array.from({ length: 6 }, (_, at) => `answer ${at}`),
      allowAll(),
    );
    for (const words of ["one", "two", "three", "four", "five"]) talk.submit(words);
    talk.terminal.press("\r", "\r");
    await talk.waitUntil(() =>
      ["one", "two", "three", "four", "five"].every((words) => listUserTexts(talk).includes(words)),
    );
    await waitUntilIdle(talk);
    const numbers = listUserTexts(talk).filter((words) => /^(?:one|two|three|four|five)$/.test(words));
    expect(numbers).toEqual(["one", "two", "three", "four", "five"]);
  });

  test("TYP2 Alt+Up moves all queued messages into the editor, before the typed text", async () => {
    const talk = await startBusyApp(["done"]);
    talk.submit("first\\");
    talk.submit("with a second line");
    await talk.waitForText("first (+1 line)");
    talk.terminal.type("later");
    talk.terminal.press(ALT_ENTER);
    await talk.waitForText("↳ when done:    later");
    talk.terminal.type("typing");
    talk.terminal.press(ALT_UP);
    await talk.waitUntil(() => talk.screen.editorText.text === "first\nwith a second line\n\nlater\n\ntyping");
    await talk.waitUntil(() => talk.screen.state.queue.steering.length === 0);
    talk.finishCommand();
    await talk.waitForText("done");
    await waitUntilIdle(talk);
    expect(listUserTexts(talk).join()).not.toContain("later");
  });

  test("TYP2 messages queued for now and for later return to the editor in the order in which they were sent", async () => {
    const talk = await startBusyApp(["done"]);
    talk.terminal.press(..."first", "\r", ..."second", ALT_ENTER, ..."third", "\r");
    await talk.waitUntil(() => talk.screen.state.queue.steering.length + talk.screen.state.queue.followUp.length === 3);
    talk.terminal.press(ALT_UP);
    await talk.waitUntil(() => talk.screen.editorText.text !== "");
    expect(talk.screen.editorText.text).toBe("first\n\nsecond\n\nthird");
  });

  test("TYP3 Esc stops the run and returns the queued message to the editor", async () => {
    const talk = await startBusyApp(["never"]);
    talk.submit("do not lose this");
    await talk.waitForText("↳ next request: do not lose this");
    talk.terminal.press(ESC);
    await talk.waitUntil(() => talk.screen.editorText.text === "do not lose this");
    await waitUntilIdle(talk);
    expect(talk.server.requests).toHaveLength(1);
  });

  test("TYP4 COM43 a message sent during a compaction is queued, shown, and sent after it (B79)", async () => {
    const slow: Step = { parts: [{ type: "text", text: SUMMARY }], pace: { chunk: 10, waitMs: 100 } };
    const long = `first answer\n\n${"one two three four five six seven eight nine ten ".repeat(400)}`;
    const talk = await startInteractiveApp(
      [long, "second answer", slow, "after it all", "after it all", "after it all"],
      {
        args: { overrides: { permissionMode: "all", compaction: { keepRecentTokens: 1 } } },
      },
    );
    talk.submit("hello");
    await talk.waitForText("first answer");
    await waitUntilIdle(talk);
    talk.submit("again");
    await talk.waitForText("second answer");
    await waitUntilIdle(talk);
    talk.submit("/compact its beginning");
    await talk.waitUntil(() => talk.screen.state.activity.type === "compacting");
    talk.submit("typed meanwhile");
    await talk.waitForText("↳ when done:    typed meanwhile");
    await talk.waitForText(/A compaction is in progress\. Your message will\s+be\s+sent\s+when\s+it\s+finishes\./);
    talk.submit("/compact");
    await talk.waitForText(/not compacted: a compaction is in progress; wait for it to finish, or\s+stop\s+it\s+first/);
    talk.submit("and this");
    await talk.waitForText("↳ next request: and this");
    expect(talk.screen.state.activity.type).toBe("compacting");
    await talk.waitForText("after it all");
    await waitUntilIdle(talk);
    const words = listUserTexts(talk).filter((text) => text === "typed meanwhile" || text === "and this");
    expect(words).toEqual(["typed meanwhile", "and this"]);
  });

  test("TYP1 a command typed during a run is answered at once", async () => {
    const talk = await startBusyApp(["done"]);
    talk.submit("/session");
    await talk.waitForText(/entries|tokens|messages/);
    talk.finishCommand();
    await talk.waitForText("done");
  });
});
