/** Tests modes/interactive/interrupt.ts: quit, stop. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, Step } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import { createChoicePanel } from "../../../src/modes/interactive/panels/choice.ts";
import { type InteractiveApp, startInteractiveApp } from "../../support/interactive-app.ts";

describe("quit", () => {
  const CTRL_C = "\x03";
  const CTRL_D = "\x04";
  const UP = "\x1b[A";

  test("MAN12 Ctrl+C clears the editor, Up restores the text, and a second Ctrl+C soon after quits", async () => {
    const app = await startInteractiveApp([]);
    app.terminal.type("a long thought");
    app.terminal.press(CTRL_C);
    expect(app.screen.editorText.text).toBe("");
    await app.waitForText("Press Ctrl+C again to quit. Everything is saved.");
    app.terminal.press(UP);
    expect(app.screen.editorText.text).toBe("a long thought");
    expect(app.nextArgs()).toBe(undefined);
    app.terminal.press(CTRL_C);
    await app.waitUntil(() => app.nextArgs() === null);
  });

  test("MAN19 Ctrl+C in an unsaved session says that it is not saved before it quits", async () => {
    const app = await startInteractiveApp([], { args: { session: { type: "none" } } });
    app.terminal.press(CTRL_C);
    await app.waitForText("Press Ctrl+C again to quit. This session is not saved.");
    app.terminal.press(CTRL_C);
    await app.waitUntil(() => app.nextArgs() === null);
  });

  test("MAN12 a second Ctrl+C after the hint has gone does not quit", async () => {
    const app = await startInteractiveApp([]);
    app.terminal.press(CTRL_C);
    await app.waitUntil(() => app.screen.state.hint === null || !app.screen.state.hint.includes("again to quit"));
    app.terminal.press(CTRL_C);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(app.nextArgs()).toBe(undefined);
  });

  test("MAN12 Ctrl+C during a run stops it and keeps the typed text", async () => {
    const app = await startInteractiveApp([{ parts: [{ type: "text", text: "one" }], breaks: { how: "stall" } }]);
    app.submit("hello");
    await app.waitUntil(() => app.server.requests.length === 1);
    app.terminal.type("and then");
    app.terminal.press(CTRL_C);
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
    expect(app.screen.editorText.text).toBe("and then");
    expect(app.nextArgs()).toBe(undefined);
  });

  test("MAN13 Ctrl+D quits only if the editor is empty", async () => {
    const app = await startInteractiveApp([]);
    app.terminal.type("x");
    app.terminal.press(CTRL_D);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(app.nextArgs()).toBe(undefined);
    app.terminal.press("\x7f", CTRL_D);
    await app.waitUntil(() => app.nextArgs() === null);
  });

  test("MAN16 after the terminal was released to another program, the screen is drawn again", async () => {
    const app = await startInteractiveApp([]);
    app.terminal.type("half a thought");
    await app.waitForText("half a thought");
    app.terminal.type("!");
    await app.screen.releaseTerminal(async () => {
      await app.waitUntilGone("half a thought");
      app.terminal.write("somebody else was here\r\n");
    });
    await app.waitForText(/somebody else was here[\s\S]*half a thought!/);
  });

  test("MAN16 a page is hidden while another program has the terminal, and is shown again afterwards", async () => {
    const app = await startInteractiveApp([]);
    app.submit("/settings");
    await app.waitForText("type to filter");
    await app.screen.releaseTerminal(async () => {
      await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "normal");
    });
    await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "alternate");
    await app.waitForText("type to filter");
    app.terminal.press("\x1b");
    await app.waitForText("edit mode");
  });

  test("MAN16 a panel that opens while the terminal is released waits, and a nested release writes nothing", async () => {
    const app = await startInteractiveApp([]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const lent = app.screen.releaseTerminal(async () => {
      const before = app.terminal.written;
      void app.screen.showPanel(createChoicePanel({ title: "Really?", options: [{ label: "yes", value: 1 }] }), {
        where: "page",
      });
      await app.screen.releaseTerminal(async () => {});
      expect(app.terminal.written).toBe(before);
      await promise;
    });
    resolve();
    await lent;
    await app.waitForText("Really?");
  });
});

describe("stop", () => {
  const ESC = "\x1b";
  /** Words that take some events to come. */
  const LONG = "one two three four five six seven eight nine ten ".repeat(40);
  const stalling = (after: number | null, ...parts: Extract<Step, { parts: unknown }>["parts"]): Step => ({
    parts,
    pace: { chunk: 20 },
    breaks: { how: "stall", ...(after !== null && { after }) },
  });
  const call = (name: string, args: Readonly<Record<string, unknown>>): Step => ({
    parts: [{ type: "call", name, arguments: args }],
  });
  const after = "the summary of it all";

  const compaction = { keepRecentTokens: 1 };

  interface Point {
    readonly at: string;
    readonly script: Script;
    /** Brings it there. */
    readonly reach: (app: InteractiveApp) => Promise<void>;
    readonly mode?: "ask" | "all";
    /** Of the model, in tokens. */
    readonly window?: number;
  }

  const begin = (text: string, sign: string | RegExp) => async (app: InteractiveApp) => {
    app.submit(text);
    await app.waitForText(sign);
  };

  /** Whoever tells a conversation in short is given no tools. */
  function isSummaryRequested({ server }: InteractiveApp): boolean {
    return server.requests.some(({ body }) => !("tools" in Object(body)));
  }

  const points: readonly Point[] = [
    {
      at: "before the first byte of a reply",
      script: [stalling(null, { type: "text", text: LONG })],
      reach: async (app) => {
        app.submit("hello");
        await app.waitUntil(() => app.server.requests.length === 1);
      },
    },
    {
      at: "in the middle of a reply",
      script: [stalling(8, { type: "text", text: LONG })],
      reach: begin("hello", "three four"),
    },
    {
      at: "during thinking",
      script: [stalling(8, { type: "thinking", text: LONG })],
      reach: async (app) => {
        app.submit("hello");
        await app.waitUntil(() => app.screen.state.blocks.some(({ kind }) => kind === "thinking"));
      },
    },
    {
      at: "while the model writes a tool call",
      script: [stalling(6, { type: "call", name: "write", arguments: { path: "a.txt", content: LONG } })],
      reach: async (app) => {
        app.submit("hello");
        await app.waitUntil(() => app.screen.state.blocks.some(({ kind }) => kind === "tool"));
      },
    },
    {
      at: "while a command runs",
      script: [call("bash", { command: "echo begun; sleep 60; touch late" }), after],
      reach: begin("hello", "begun"),
      mode: "all",
    },
    {
      at: "during a permission question",
      script: [call("bash", { command: "touch late" }), after],
      reach: begin("hello", "Esc refuse and stop"),
      mode: "ask",
    },
    {
      at: "between a tool result and the next reply",
      script: [call("bash", { command: "echo quick" }), stalling(null, { type: "text", text: LONG })],
      reach: async (app) => {
        app.submit("hello");
        await app.waitUntil(() => app.server.requests.length === 2);
      },
      mode: "all",
    },
    {
      at: "during the wait before a retry",
      script: [{ refuse: { status: 529, type: "overloaded_error", message: "Overloaded" } }, after, after],
      reach: async (app) => {
        app.submit("hello");
        await app.waitUntil(() => app.screen.state.activity.type === "retrying" || app.server.requests.length > 0);
      },
    },
    {
      at: "in a compaction by command",
      script: [`fine\n\n${LONG.repeat(12)}`, "and fine", stalling(null, { type: "text", text: LONG })],
      reach: async (app) => {
        app.submit("first");
        await app.waitForText("fine");
        app.submit("second");
        await app.waitForText("and fine");
        await app.waitUntil(() => app.screen.state.activity.type === "idle");
        app.submit("/compact its beginning");
        await app.waitUntil(() => app.server.requests.length === 3);
      },
    },
    {
      at: "in an automatic compaction during a run",
      script: ({ tools, number }) =>
        tools.length === 0
          ? stalling(null, { type: "text", text: LONG })
          : call("bash", { command: `for at in $(seq 1 90); do echo "step ${number} line $at of a long story"; done` }),
      reach: async (app) => {
        app.submit("hello");
        // The run waits for the summary that was prepared until then.
        await app.waitUntil(() => isSummaryRequested(app) && app.screen.state.activity.type === "compacting");
        expect(app.screen.state.activity).toMatchObject({
          type: "compacting",
          reason: "threshold",
          isWithinRun: true,
        });
      },
      mode: "all",
      window: 12_000,
    },
    {
      at: "in a branch summary",
      script: ["fine", "and fine", stalling(null, { type: "text", text: LONG })],
      reach: async (app) => {
        app.submit("first");
        await app.waitForText("fine");
        app.submit("second");
        await app.waitForText("and fine");
        await app.waitUntil(() => app.screen.state.activity.type === "idle");
        app.submit("/tree root --summary");
        await app.waitUntil(() => app.server.requests.length === 3);
      },
    },
    {
      at: "while a shell line of the user runs",
      script: ["fine"],
      reach: begin("!echo begun; sleep 60; touch late", /^begun|^ +begun/m),
    },
  ];

  for (const { at, script, reach, mode, window } of points)
    test(`MAN10 Esc stops a run ${at}, and nothing starts afterwards`, async () => {
      const app = await startInteractiveApp(script, {
        args: { overrides: { permissionMode: mode ?? "edit", sandbox: "off", compaction } },
        prepare: ({ home }) => {
          if (window) writeFileSync(join(home, "settings.json"), JSON.stringify({ contextWindow: window }));
        },
      });
      await reach(app);
      const requestCount = app.server.requests.length;
      app.terminal.press(ESC);
      await app.waitUntil(
        () => app.screen.state.activity.type === "idle" && app.screen.state.pendingShellBlocks.length === 0,
      );
      expect(app.server.requests.length).toBe(requestCount);
      app.submit("are you there?");
      await app.waitUntil(() => app.server.requests.length > requestCount);
      expect(app.server.requests.length).toBe(requestCount + 1);
      expect(existsSync(join(app.folder, "late"))).toBe(false);
    });

  test("MAN11 queued messages return to the editor when a run is stopped", async () => {
    const app = await startInteractiveApp([stalling(8, { type: "text", text: LONG }), after]);
    app.submit("hello");
    await app.waitForText("three four");
    app.submit("also do this");
    await app.waitUntil(() => app.screen.state.queue.steering.length === 1);
    app.terminal.type("half a thought");
    app.terminal.press(ESC);
    await app.waitUntil(() => app.screen.editorText.text.includes("also do this"));
    expect(app.screen.editorText.text).toMatch(/also do this\s+half a thought/);
    expect(app.server.requests.length).toBe(1);
  });

  test("MAN17 after a failed branch summary the session is idle and sends the next message", async () => {
    const refused: Step = { refuse: { status: 400, type: "invalid_request_error", message: "no summaries today" } };
    const app = await startInteractiveApp(["fine", "and fine", refused, refused, refused, refused, "heard"]);
    for (const words of ["first", "second"]) {
      app.submit(words);
      await app.waitUntil(() => app.screen.state.activity.type === "idle" && app.server.requests.length > 0);
      await app.waitForText(words === "first" ? "fine" : "and fine");
    }
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
    app.submit("/tree root --summary");
    await app.waitForText("no summaries today");
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
    app.submit("are you there?");
    await app.waitUntil(() => app.server.requests.some(({ body }) => JSON.stringify(body).includes("are you there?")));
  });
});
