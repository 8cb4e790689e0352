/** Tests `/rules` (context-report/user-rules.ts): what holds, in every group, and what to do in a session without any. */

import { listUserRules } from "@pith/context/host";
import { expect, test } from "vitest";
import { pinOnce } from "../../src/commands/pin.ts";
import { groupRules } from "../../src/context-report/user-rules.ts";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";
import { earlyMessages, fillWithRules } from "../support/sample-sessions.ts";

test("COM44 /rules in an empty session says what to do next", async () => {
  expect(await runForResult("/rules", await createCommandContext([]))).toEqual({
    type: "success",
    text: "You have not said anything in this session yet. Type a message, or keep a rule in the context through every compaction with /pin <text>.",
    data: { pins: [], carriedLines: [], messages: [], stubs: [], hidden: { count: 0, first: "", last: "" } },
  });
});

test("COM44 before a compaction, /rules lists all messages word for word", async () => {
  const context = await createCommandContext(["user: use tabs\nnot spaces", "says: fine", "user: go on"]);
  expect(await runForText("/rules", context)).toBe(
    [
      "Your messages, word for word:",
      "  #1  use tabs not spaces",
      "  #3  go on",
      "",
      "To keep something in the context through every compaction, pin it: /pin #1 keeps a message, /pin <text> any other rule.",
    ].join("\n"),
  );
  await runForText("/pin Never push to main.", context);
  expect(await runForText("/rules", context)).toMatch(
    /^Pinned \(always shown\):\n {2}1 {2}Never push to main\.\n\nYour messages/,
  );
});

test("COM44 after compactions, /rules lists in each group what the model reads", async () => {
  const context = await createCommandContext(earlyMessages);
  await runForText("/pin Answer in German.", context);
  await fillWithRules(context.agent.session);
  const { stubs, hidden, messages } = listUserRules(context.agent.session.branch);
  expect(stubs.length).toBeGreaterThan(0);
  expect(hidden.count).toBeGreaterThan(1);
  expect(await runForText("/rules", context)).toBe(
    [
      "Pinned (always shown):",
      "  1  Answer in German.",
      "",
      "From the summary, in place of your messages:",
      "  #1  Use tabs in every file of this project, never spaces",
      "  #1  The importer reads CSV and nothing else",
      "  #3  Never push to main; open a pull request for every change",
      "",
      "Your messages, word for word:",
      ...messages.map(({ reference, text }) => `  ${reference}  ${text.slice(0, 99)}…`),
      "",
      "Only the first words are shown to the model:",
      ...stubs.map(({ reference, line }) => `  ${reference}  ${line.replace(/^\[#\d+\] /, "")}`),
      "",
      `Not shown and not carried over: ${hidden.count} messages, ${hidden.first}–${hidden.last}.`,
      "",
      `To keep something in the context through every compaction, pin it: /pin ${stubs[0]?.reference} keeps a message, /pin <text> any other rule.`,
    ].join("\n"),
  );
  expect(await runForResult("/rules", context)).toMatchObject({
    data: {
      pins: [{ text: "Answer in German." }],
      carriedLines: [{ references: ["#1"] }, { references: ["#1"] }, { references: ["#3"] }],
      messages,
      stubs: stubs.map(({ reference, line }) => ({ reference, line })),
      hidden: { count: hidden.count, first: hidden.first, last: hidden.last },
    },
  });
});

test("COM44 /rules lists the newest 500 messages of a session with 1,000", async () => {
  const messages = Array.from({ length: 1_000 }, (_, at) => `user: message ${at + 1}`);
  const text = await runForText("/rules", await createCommandContext(messages, { isStored: false }));
  expect(text.split("\n")).toHaveLength(504);
  expect(text).toMatch(
    /^Your messages, word for word:\n {2}… 500 older ones are not listed\n {2}#501 {3}message 501\n/,
  );
});

test("COM44 group titles say what is missing, and an empty or shortened message gets a stand-in", () => {
  const hidden = { count: 1, first: "#5", last: "#5", messages: [] };
  const messages = [
    { reference: "#7", text: "Do this. […]" },
    { reference: "#9", text: " " },
  ];
  const carriedLines = [{ text: "use tabs", references: ["#5", "#7"] }];
  expect(groupRules({ pins: [], carriedLines, messages, stubs: [], hidden })).toMatchObject([
    { kind: "carried", rules: [{ label: "#5, #7", text: "use tabs", references: ["#5", "#7"] }] },
    {
      title: "Your messages, word for word; […] marks what is left out",
      rules: [{ text: "Do this. […]" }, { text: "(only attachments)" }],
    },
    { title: "Not shown and not carried over: 1 message, #5", rules: [] },
  ]);
});

test("MET22 /pin pins a text or message once, and pins only the typed part of a message with a file", async () => {
  const context = await createCommandContext(["user: use tabs", "says: fine"]);
  const { session } = context.agent;
  const file = { type: "text", text: "<file>a long file</file>", pith: { attachment: { kind: "file", name: "a.ts" } } };
  const typed = { type: "text", text: "see the file" };
  for (const content of [[file, typed], [file]])
    await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } as never });
  const pin = async (text: string, reference?: string) => {
    const result = await pinOnce({ text, reference }, context.agent);
    return "text" in result ? result.text : Object(result).message;
  };
  expect(await pin("always")).toBe("Pinned: always");
  expect(await pin("always")).toBe("Already pinned: always");
  expect(await pin("use…", "#1")).toBe("Pinned: use tabs");
  expect(await pin("use…", "#1")).toBe("Already pinned: use tabs");
  expect(await pin("see", "#3")).toBe("Pinned: see the file");
  expect(await pin("see", "#3")).toBe("Already pinned: see the file");
  expect(await pin("", "#4")).toBe("#4 has no typed text; /pin #4 pins all of it");
  expect(await pin("", "#99")).toBe("#99 is not in this session");
  expect(listUserRules(session.branch).pins).toMatchObject([
    { text: "always" },
    { text: "use tabs", reference: "#1" },
    { text: "see the file" },
  ]);
});
