/** Esc stops whatever is under way, on the screen of the real program. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { type TalkOn, talkOn } from "./talk-on.ts";

const ESC = "\x1b";
/** Words that take some events to come. */
const LONG = "one two three four five six seven eight nine ten ".repeat(40);
const stalling = (after: number | null, ...parts: Extract<Step, { parts: unknown }>["parts"]): Step => ({
  parts,
  pace: { chunk: 20 },
  breaks: { how: "stall", ...(after !== null && { after }) },
});
const call = (name: string, asked: Readonly<Record<string, unknown>>): Step => ({
  parts: [{ type: "call", name, arguments: asked }],
});
const after = "the summary of it all";

const compaction = { keepRecentTokens: 1 };

interface Point {
  readonly at: string;
  readonly script: Script;
  /** Brings it there. */
  readonly reach: (talk: TalkOn) => Promise<void>;
  readonly mode?: "ask" | "all";
  /** Of the model, in tokens. */
  readonly window?: number;
}

const begin = (text: string, sign: string | RegExp) => async (talk: TalkOn) => {
  talk.say(text);
  await talk.sees(sign);
};

/** Whoever tells a conversation in short is given no tools. */
function isSummaryAsked({ server }: TalkOn): boolean {
  return server.served.some(({ body }) => !("tools" in Object(body)));
}

const points: readonly Point[] = [
  {
    at: "before the first byte of a reply",
    script: [stalling(null, { type: "text", text: LONG })],
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => talk.server.served.length === 1);
    },
  },
  {
    at: "in the middle of a reply",
    script: [stalling(8, { type: "text", text: LONG })],
    reach: begin("hello", "three four"),
  },
  {
    at: "while it thinks",
    script: [stalling(8, { type: "thinking", text: LONG })],
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => talk.screen.state.blocks.some(({ kind }) => kind === "thought"));
    },
  },
  {
    at: "while a call is being written",
    script: [stalling(6, { type: "call", name: "write", arguments: { path: "a.txt", content: LONG } })],
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => talk.screen.state.blocks.some(({ kind }) => kind === "called"));
    },
  },
  {
    at: "while a command runs",
    script: [call("bash", { command: "echo begun; sleep 60; touch late" }), after],
    reach: begin("hello", "begun"),
    mode: "all",
  },
  {
    at: "while somebody is asked",
    script: [call("bash", { command: "touch late" }), after],
    reach: begin("hello", "Esc: no, and stop"),
    mode: "ask",
  },
  {
    at: "between a result and the next reply",
    script: [call("bash", { command: "echo quick" }), stalling(null, { type: "text", text: LONG })],
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => talk.server.served.length === 2);
    },
    mode: "all",
  },
  {
    at: "while it waits to ask again",
    script: [{ refuse: { status: 529, type: "overloaded_error", message: "Overloaded" } }, after, after],
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => talk.screen.state.work.type === "retrying" || talk.server.served.length > 0);
    },
  },
  {
    at: "in a compaction that was asked for",
    script: [`fine\n\n${LONG.repeat(12)}`, "and fine", stalling(null, { type: "text", text: LONG })],
    reach: async (talk) => {
      talk.say("first");
      await talk.sees("fine");
      talk.say("second");
      await talk.sees("and fine");
      await talk.until(() => talk.screen.state.work.type === "idle");
      talk.say("/compact its beginning");
      await talk.until(() => talk.server.served.length === 3);
    },
  },
  {
    at: "in a compaction that nobody asked for, in the middle of a run",
    script: ({ tools, number }) =>
      tools.length === 0
        ? stalling(null, { type: "text", text: LONG })
        : call("bash", { command: `for at in $(seq 1 90); do echo "step ${number} line $at of a long story"; done` }),
    reach: async (talk) => {
      talk.say("hello");
      await talk.until(() => isSummaryAsked(talk));
      expect(talk.screen.state.work).toMatchObject({ type: "compacting", reason: "threshold", isWithinRun: true });
    },
    mode: "all",
    window: 12_000,
  },
  {
    at: "in the summary of a branch",
    script: ["fine", "and fine", stalling(null, { type: "text", text: LONG })],
    reach: async (talk) => {
      talk.say("first");
      await talk.sees("fine");
      talk.say("second");
      await talk.sees("and fine");
      await talk.until(() => talk.screen.state.work.type === "idle");
      talk.say("/tree root --summary");
      await talk.until(() => talk.server.served.length === 3);
    },
  },
  {
    at: "while a shell line of the user's own runs",
    script: ["fine"],
    reach: begin("!echo begun; sleep 60; touch late", /^begun|^ +begun/m),
  },
];

for (const { at, script, reach, mode, window } of points)
  test(`MAN10 Esc stops it ${at}, and nothing begins afterwards`, async () => {
    const talk = await talkOn(script, {
      wish: { choices: { permissionMode: mode ?? "edit", sandbox: "off", compaction } },
      prepare: ({ home }) => {
        if (window) writeFileSync(join(home, "settings.json"), JSON.stringify({ contextWindow: window }));
      },
    });
    await reach(talk);
    const asked = talk.server.served.length;
    const since = performance.now();
    talk.terminal.press(ESC);
    await talk.until(() => talk.screen.state.work.type === "idle" && talk.screen.state.shell.length === 0);
    const took = performance.now() - since;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(talk.screen.state.work.type).toBe("idle");
    expect(talk.server.served.length).toBe(asked);
    expect(existsSync(join(talk.folder, "late"))).toBe(false);
    // It takes a fifth of a second at most on a machine that does nothing else.
    console.log(`stopped ${at}: ${Math.round(took)} ms`);
    expect(took).toBeLessThan(5_000);
    talk.say("are you there?");
    await talk.until(() => talk.server.served.length === asked + 1);
  });

test("MAN11 what waited to be said comes back to the editor when all is stopped", async () => {
  const talk = await talkOn([stalling(8, { type: "text", text: LONG }), after]);
  talk.say("hello");
  await talk.sees("three four");
  talk.say("also do this");
  await talk.until(() => talk.screen.state.queue.steering.length === 1);
  talk.terminal.type("half a thought");
  talk.terminal.press(ESC);
  await talk.until(() => talk.screen.words.text.includes("also do this"));
  expect(talk.screen.words.text).toMatch(/also do this\s+half a thought/);
  expect(talk.server.served.length).toBe(1);
});

test("MAN17 a summary of a branch that failed leaves nothing that looks as if it went on", async () => {
  const refused: Step = { refuse: { status: 400, type: "invalid_request_error", message: "no summaries today" } };
  const talk = await talkOn(["fine", "and fine", refused, refused, refused, refused, "heard"]);
  for (const words of ["first", "second"]) {
    talk.say(words);
    await talk.until(() => talk.screen.state.work.type === "idle" && talk.server.served.length > 0);
    await talk.sees(words === "first" ? "fine" : "and fine");
  }
  await talk.until(() => talk.screen.state.work.type === "idle");
  talk.say("/tree root --summary");
  await talk.sees("no summaries today");
  await talk.until(() => talk.screen.state.work.type === "idle");
  talk.say("are you there?");
  await talk.until(() => talk.server.served.some(({ body }) => JSON.stringify(body).includes("are you there?")));
});
