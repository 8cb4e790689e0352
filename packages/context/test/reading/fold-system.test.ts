/** Proves that the system state folded into one message says what all of them said. */

import { expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import type { SystemMessage } from "../../src/message.ts";
import { foldedSystem } from "../../src/reading/fold-system.ts";
import { windowOf } from "../../src/session/window.ts";
import { story } from "../../src/testing/story.ts";
import { expectLinear } from "./linear.ts";

const tool = (name: string, description = name) => ({ name, description, parameters: {} });

function said(...messages: readonly Partial<SystemMessage>[]): readonly Entry[] {
  return story(...messages.map(() => "system: x")).map((entry, at) => ({
    ...(entry as Entry & { type: "message" }),
    message: { role: "system", content: "", timestamp: at, ...messages[at] },
  }));
}

test("KEEP7 sections are patched by name, tools come and go, words are added", () => {
  const branch = said(
    { content: "You help.", sections: { rules: "tabs", mode: "plan" }, toolsAdded: [tool("read"), tool("bash")] },
    { sections: { mode: null, rules: "spaces" } },
    { content: "Be brief.", toolsRemoved: [{ name: "read" }], toolsAdded: [tool("bash", "newer"), tool("edit")] },
  );
  expect(foldedSystem(windowOf(branch))).toEqual({
    role: "system",
    content: "You help.\n\nBe brief.",
    sections: { rules: "spaces" },
    toolsAdded: [tool("bash", "newer"), tool("edit")],
    timestamp: 2,
  });
});

test("KEEP7 one that was folded before goes on; those it covers do not count again", () => {
  const [first, second] = said({ content: "You help." }, { content: "Be brief." });
  const compaction = {
    ...(story("user: x", "compacts: before, keeps e1")[1] as Entry & { type: "compaction" }),
    id: "c",
    firstKeptEntryId: first?.id ?? "",
    systemMessage: { role: "system" as const, content: "Folded.", timestamp: 0 },
  };
  const window = windowOf([first, compaction, second] as readonly Entry[]);
  expect(foldedSystem(window)?.content).toBe("Folded.\n\nBe brief.");
});

test("KEEP7 words that are said again stand once, where they were said last", () => {
  const contents = (...texts: readonly string[]) =>
    foldedSystem(windowOf(said(...texts.map((content) => ({ content })))))?.content;
  expect(contents("You help.", "You help.", "You help.")).toBe("You help.");
  expect(contents("You help.", "Plan.", "Act.", "Plan.")).toBe("You help.\n\nAct.\n\nPlan.");
  expect(contents("You help.\n\nPlan.\n\nAct.", "Plan.")).toBe("You help.\n\nAct.\n\nPlan.");
  expect(contents("You help.\n\nAct.", "Act.")).toBe("You help.\n\nAct.");
  expect(contents("You help.\n\nAct.", "You help.")).toBe("Act.\n\nYou help.");
  expect(contents("You help.", "help.")).toBe("You help.\n\nhelp.");
});

test("KEEP7 a folded state that is logged again and again does not grow", () => {
  let state = foldedSystem(windowOf(said({ content: "You help." }, { content: "Plan." })));
  const first = state?.content;
  for (let round = 0; round < 3; round++) {
    const compaction = { ...(story("compacts: before")[0] as Entry & { type: "compaction" }), id: "c" };
    const logged = said({ content: "You help." }, { content: "Plan." });
    state = foldedSystem(
      windowOf([{ ...compaction, firstKeptEntryId: "c", ...(state && { systemMessage: state }) }, ...logged]),
    );
  }
  expect(state?.content).toBe(first);
});

test("KEEP7 words of one message alone keep their blocks", () => {
  const content = [{ type: "text" as const, text: "You help." }];
  expect(foldedSystem(windowOf(said({ content }, { sections: { rules: "tabs" } })))?.content).toEqual(content);
});

test.each<[string, object]>([
  ["toolsAdded null", { toolsAdded: null }],
  ["toolsAdded an object", { toolsAdded: {} }],
  ["toolsAdded with null and a nameless one", { toolsAdded: [null, {}, { name: 7 }] }],
  ["toolsRemoved null", { toolsRemoved: null }],
  ["toolsRemoved with null", { toolsRemoved: [null, "read"] }],
  ["sections null", { sections: null }],
  ["sections a list", { sections: ["tabs"] }],
  ["sections that are no texts", { sections: { rules: 7, mode: {} } }],
  ["content null", { content: null }],
  ["content an object", { content: {} }],
  ["content of odd blocks", { content: [null, 7, { type: "text" }, { type: "image", text: "x" }] }],
])("KEEP7 %s changes nothing", (_, odd) => {
  const state = { content: "You help.", sections: { rules: "tabs" }, toolsAdded: [tool("read")] };
  const expected = { role: "system", ...state, timestamp: 1 };
  expect(foldedSystem(windowOf(said(state, odd)))).toEqual(expected);
  expect(foldedSystem(windowOf(said(odd, state)))).toEqual(expected);
});

test("KEEP7 four thousand changes are folded in one pass", () => {
  const window = (count: number) =>
    windowOf(
      said(
        ...Array.from({ length: count }, (_, at) => ({
          content: `Rule ${at}.`,
          sections: { [`s${at}`]: "text" },
          toolsAdded: [tool(`t${at}`)],
        })),
      ),
    );
  const [small, large] = [window(4_000), window(16_000)];
  expectLinear(
    () => foldedSystem(small),
    () => foldedSystem(large),
  );
});

test("KEEP7 where the log says nothing of it there is none", () => {
  expect(foldedSystem(windowOf(story("user: hello")))).toBeNull();
});
