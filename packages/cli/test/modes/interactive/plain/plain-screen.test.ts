/** Tests a session in plain lines: which lines appear when, and how questions are answered. */

import { expect, test } from "vitest";
import { createChoicePanel } from "../../../../src/modes/interactive/panels/choice.ts";
import { continueWith, finishWith, type Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createRecordedScreen } from "../../../support/test-screen.ts";

const delta = (text: string) => ({ type: "message_update", delta: { type: "text-delta", text } }) as const;
const call = { toolCallId: "c", toolName: "bash", args: { command: "make" } };

test("PLN2 a reply is printed paragraph by paragraph, each once it is complete", () => {
  const { screen, takeOutput } = createRecordedScreen();
  screen.handleEvent({ type: "agent_start" });
  screen.handleEvent(delta("One"));
  screen.handleEvent(delta(" two."));
  expect(takeOutput()).toEqual([]);
  screen.handleEvent(delta("\n\nThree"));
  screen.handleEvent(delta(" four.\nFive.\n"));
  expect(takeOutput()).toEqual(["Pith: One two."]);
});

test("PLN2 thinking is printed once, as a line count, when it ends", () => {
  const { screen, takeOutput } = createRecordedScreen();
  screen.handleEvent({ type: "message_update", delta: { type: "thinking-delta", text: "hm\nwell" } });
  expect(takeOutput()).toEqual([]);
  screen.handleEvent(delta("So."));
  screen.handleEvent(delta(" It is"));
  expect(takeOutput()).toEqual(["Thinking: 2 lines."]);
});

test("PLN3 a tool call is printed when it has finished, even as the last block", () => {
  const { screen, takeOutput } = createRecordedScreen();
  screen.update((state) => ({
    ...state,
    blocks: [{ kind: "tool", id: "c", tool: "bash", arguments: call.args, state: "waiting", output: "", images: [] }],
  }));
  screen.handleEvent({ type: "tool_execution_start", ...call });
  screen.handleEvent({ type: "tool_execution_update", ...call, partialResult: "half" });
  expect(takeOutput()).toEqual([]);
  const result = {
    role: "toolResult",
    ...{ toolCallId: "c", toolName: "bash", timestamp: 0, isError: false },
    content: [{ type: "text", text: "a\nb" }],
  } as const;
  screen.handleEvent({ type: "tool_execution_end", ...call, result, isError: false, durationMs: 1 });
  expect(takeOutput()).toEqual(["Tool bash make: done, 2 lines."]);
  expect(screen.state.blocks).toEqual([]);
});

test("PLN4 a long run prints its duration at growing intervals until it ends", () => {
  const { screen, takeOutput, passTime } = createRecordedScreen();
  screen.handleEvent({ type: "agent_start" });
  passTime(29);
  expect(takeOutput()).toEqual([]);
  passTime(1);
  expect(takeOutput()).toEqual(["Still working, 30 seconds."]);
  passTime(30);
  expect(takeOutput()).toEqual(["Still working, 60 seconds."]);
  passTime(60);
  expect(takeOutput()).toEqual(["Still working, 2 minutes."]);
  screen.handleEvent({ type: "agent_settled", aborted: false });
  expect(takeOutput()).toEqual(["Ready."]);
  passTime(600);
  expect(takeOutput()).toEqual([]);
});

test("PLN5 a choice is answered by its number, and any other line repeats the range", async () => {
  const { screen, takeOutput } = createRecordedScreen();
  const options = [
    { label: "Yes", value: "yes", key: "y" },
    { label: "No", description: "and stop", value: "no" },
  ];
  const answer = screen.showPanel(createChoicePanel({ title: "Run it?", body: () => ["make all"], options }), {
    where: "inline",
  });
  expect(takeOutput()).toEqual(["Run it?", "make all", "1. Yes", "2. No: and stop", "0. cancel"]);
  expect(screen.openQuestion?.question.prompt).toBe("Enter a number from 0 to 2: ");
  for (const line of ["3", "maybe", ""])
    expect(screen.openQuestion?.question.handleLine(line)).toEqual(["Enter a number from 0 to 2."]);
  expect(screen.openQuestion?.question.handleLine(" 2. ")).toBeNull();
  expect(await answer).toBe("no");
  expect(screen.openQuestion).toBeUndefined();
});

test("PLN5 answering 0, Ctrl+C and an aborted signal return no answer", async () => {
  const { screen } = createRecordedScreen();
  const panel = createChoicePanel({ title: "Run it?", options: [{ label: "Yes", value: "yes" }] });
  const first = screen.showPanel(panel, { where: "inline" });
  screen.openQuestion?.question.handleLine("0");
  const second = screen.showPanel(panel, { where: "inline" });
  screen.openQuestion?.dismiss();
  const leaving = new AbortController();
  const third = screen.showPanel(panel, { where: "page", signal: leaving.signal });
  leaving.abort();
  expect(await Promise.all([first, second, third])).toEqual([null, null, null]);
});

/** One types into it, and Enter answers. */
const typing: Panel<string, string> = {
  initialState: "",
  handleKey: (text, key) => (key === "enter" ? finishWith(text) : key.length === 1 ? continueWith(text + key) : null),
  render: (text) => ["┌──────┐", `│ \x1b[1mWhy?\x1b[0m ${text} │`, "└──────┘"],
};

test("PLN6 other panels are answered with key names or with text", async () => {
  const { screen, takeOutput } = createRecordedScreen();
  const answer = screen.showPanel(typing, { where: "page" });
  expect(takeOutput()).toEqual([" Why?", expect.stringMatching(/^Answer with key names/)]);
  expect(screen.openQuestion?.question.handleLine("so it is")).toEqual([" Why? so it is", expect.any(String)]);
  expect(screen.openQuestion?.question.handleLine("")).toBeNull();
  expect(await answer).toBe("so it is");
  const left = screen.showPanel(typing, { where: "page" });
  screen.openQuestion?.question.handleLine("escape");
  expect(await left).toBeNull();
});

test("PLN7 a draft is printed, and an empty line sends it", () => {
  const { screen, takeOutput } = createRecordedScreen();
  screen.editorText.set("fix it\nwell");
  expect(takeOutput()).toEqual(["Draft: fix it", "well", expect.stringMatching(/^Press Enter to send it/)]);
  expect(screen.takeLine("")).toBe("fix it\nwell");
  expect(screen.takeLine("")).toBe("");
  screen.editorText.set("again");
  expect(screen.takeLine("other words")).toBe("other words");
  expect(screen.editorText.text).toBe("");
});

test("PLN8 a typed line is not printed again, and a message from elsewhere is", () => {
  const { screen, takeOutput } = createRecordedScreen();
  const showUserBlock = (text: string) =>
    screen.update((state) => ({ ...state, blocks: [{ kind: "user", id: text, text, images: [] }] }));
  showUserBlock(screen.takeLine("hello"));
  expect(takeOutput()).toEqual([]);
  screen.showNote("a note");
  showUserBlock("hello");
  expect(takeOutput()).toEqual(["a note", "You: hello"]);
});

test("PLN9 queued messages, hints and changes of the model and mode are one line each", () => {
  const { screen, takeOutput } = createRecordedScreen();
  screen.handleEvent({ type: "queue_update", steering: ["faster"], followUp: ["then\nrest"] });
  screen.update((state) => ({ ...state, hint: "/help", footer: { ...state.footer, model: "a/b", folder: "~/x" } }));
  screen.update((state) => ({ ...state, footer: { ...state.footer, permissionMode: "plan" } }));
  screen.handleEvent({ type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 1, errorMessage: "busy\x1b[2J" });
  expect(takeOutput()).toEqual([
    "Queued: faster",
    "Queued until the run ends: then (+1 line)",
    "Model a/b, folder ~/x.",
    "Hint: /help",
    "Permission mode: plan.",
    "Retrying: busy\\x1b[2J",
  ]);
});
