/** Tests modes/interactive/keys/actions.ts: bound keys, queue keys. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import {
  allowAll,
  listUserTexts,
  startBusyApp,
  startInteractiveApp,
  waitUntilIdle,
} from "../../support/interactive-app.ts";
import { SUMMARY } from "../../support/sample-conversations.ts";

describe("bound keys", () => {
  const CTRL_T = "\x14";
  const ALT_S = "\x1bs";

  test("MAN18 an error in a key's action is shown, and the session continues", async () => {
    const app = await startInteractiveApp(["hello"]);
    app.screen.showPanel = () => Promise.reject(new Error("no page today"));
    for (const key of [CTRL_T, "\x1bc", "\x0c"]) app.terminal.press(key);
    await app.waitForText(/no page today[\s\S]*no page today[\s\S]*no page today/);
    app.submit("hi");
    await app.waitForText("hello");
  });

  test("MAN18 opening the transcript after the session file was deleted leaves the screen usable", async () => {
    const app = await startInteractiveApp(["hello", "hello again"]);
    app.submit("hi");
    await app.waitForText("hello");
    rmSync(join(app.home, "sessions"), { recursive: true, force: true });
    app.terminal.press(CTRL_T);
    await new Promise((resolve) => setTimeout(resolve, 200));
    app.terminal.press("\x1b");
    await app.waitForText("hello");
  });

  test("MAN18 a key that has nothing to show gives the same message as its command", async () => {
    const app = await startInteractiveApp([]);
    app.terminal.press(ALT_S);
    await app.waitForText("The model sees nothing yet.");
  });
});

describe("queue keys", () => {
  const ALT_ENTER = "\x1b\r";
  const ALT_UP = "\x1b[1;3A";
  const ESC = "\x1b";

  test("TYP1 during a run, Enter queues a message for the next request and Alt+Enter for the end of the run", async () => {
    const app = await startBusyApp(["done with it", "all done"]);
    app.terminal.type("afterwards this");
    app.terminal.press(ALT_ENTER);
    app.submit("first this");
    await app.waitForText("↳ next request: first this");
    await app.waitForText("↳ when done:    afterwards this");
    app.finishCommand();
    await app.waitForText("all done");
    await waitUntilIdle(app);
    expect(app.server.requests).toHaveLength(3);
    expect(listUserTexts(app, 1)).toEqual(expect.arrayContaining(["first this"]));
    expect(listUserTexts(app, 1)).not.toContain("afterwards this");
    expect(listUserTexts(app, 2)).toContain("afterwards this");
    expect(app.screen.state.queue).toEqual({ steering: [], followUp: [] });
  });

  test("TYP1 messages sent in quick succession are neither lost, duplicated nor reordered", async () => {
    const app = await startInteractiveApp(
      Array.from({ length: 6 }, (_, at) => `answer ${at}`),
      allowAll(),
    );
    for (const words of ["one", "two", "three", "four", "five"]) app.submit(words);
    app.terminal.press("\r", "\r");
    await app.waitUntil(() =>
      ["one", "two", "three", "four", "five"].every((words) => listUserTexts(app).includes(words)),
    );
    await waitUntilIdle(app);
    const numbers = listUserTexts(app).filter((words) => /^(?:one|two|three|four|five)$/.test(words));
    expect(numbers).toEqual(["one", "two", "three", "four", "five"]);
  });

  test("TYP2 Alt+Up moves all queued messages into the editor, before the typed text", async () => {
    const app = await startBusyApp(["done"]);
    app.submit("first\\");
    app.submit("with a second line");
    await app.waitForText("first (+1 line)");
    app.terminal.type("later");
    app.terminal.press(ALT_ENTER);
    await app.waitForText("↳ when done:    later");
    app.terminal.type("typing");
    app.terminal.press(ALT_UP);
    await app.waitUntil(() => app.screen.editorText.text === "first\nwith a second line\n\nlater\n\ntyping");
    await app.waitUntil(() => app.screen.state.queue.steering.length === 0);
    app.finishCommand();
    await app.waitForText("done");
    await waitUntilIdle(app);
    expect(listUserTexts(app).join()).not.toContain("later");
  });

  test("TYP2 messages queued for now and for later return to the editor in the order in which they were sent", async () => {
    const app = await startBusyApp(["done"]);
    app.terminal.press(..."first", "\r", ..."second", ALT_ENTER, ..."third", "\r");
    await app.waitUntil(() => app.screen.state.queue.steering.length + app.screen.state.queue.followUp.length === 3);
    app.terminal.press(ALT_UP);
    await app.waitUntil(() => app.screen.editorText.text !== "");
    expect(app.screen.editorText.text).toBe("first\n\nsecond\n\nthird");
  });

  test("TYP3 Esc stops the run and returns the queued message to the editor", async () => {
    const app = await startBusyApp(["never"]);
    app.submit("do not lose this");
    await app.waitForText("↳ next request: do not lose this");
    app.terminal.press(ESC);
    await app.waitUntil(() => app.screen.editorText.text === "do not lose this");
    await waitUntilIdle(app);
    expect(app.server.requests).toHaveLength(1);
  });

  test("TYP4 COM43 a message sent during a compaction is queued, shown, and sent after it (B79)", async () => {
    const slow: Step = { parts: [{ type: "text", text: SUMMARY }], pace: { chunk: 10, waitMs: 100 } };
    const long = `first answer\n\n${"one two three four five six seven eight nine ten ".repeat(400)}`;
    const app = await startInteractiveApp(
      [long, "second answer", slow, "after it all", "after it all", "after it all"],
      {
        args: { overrides: { permissionMode: "all", compaction: { keepRecentTokens: 1 } } },
      },
    );
    app.submit("hello");
    await app.waitForText("first answer");
    await waitUntilIdle(app);
    app.submit("again");
    await app.waitForText("second answer");
    await waitUntilIdle(app);
    app.submit("/compact its beginning");
    await app.waitUntil(() => app.screen.state.activity.type === "compacting");
    app.submit("typed meanwhile");
    await app.waitForText("↳ when done:    typed meanwhile");
    await app.waitForText(/A compaction is in progress\. Your message will\s+be\s+sent\s+when\s+it\s+finishes\./);
    app.submit("/compact");
    await app.waitForText(/not compacted: a compaction is in progress; wait for it to finish, or\s+stop\s+it\s+first/);
    app.submit("and this");
    await app.waitForText("↳ next request: and this");
    expect(app.screen.state.activity.type).toBe("compacting");
    await app.waitForText("after it all");
    await waitUntilIdle(app);
    const words = listUserTexts(app).filter((text) => text === "typed meanwhile" || text === "and this");
    expect(words).toEqual(["typed meanwhile", "and this"]);
  });

  test("TYP1 a command typed during a run is answered at once", async () => {
    const app = await startBusyApp(["done"]);
    app.submit("/session");
    await app.waitForText(/entries|tokens|messages/);
    app.finishCommand();
    await app.waitForText("done");
  });
});
