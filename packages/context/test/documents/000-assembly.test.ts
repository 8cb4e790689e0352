/** Document 000, how a context is put together: history, hooks, conversion, request. Its "transformContext is not used" is wrong (B2). */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { applyContextHooks } from "../../src/context/context-hooks.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show, story } from "../../src/testing/story.ts";
import { createSession } from "../support/small-session.ts";
import { contextAt, sentLines, storyModel } from "../support/story-context.ts";

test("CTX9 B3 user messages, replies and results are sent as such; everything else as a user message", () => {
  expect(
    sentLines(
      "user: look",
      "calls: read path=a.ts",
      "result: text",
      "says: seen",
      "bash: ls -> a.ts",
      "note: it rains",
      "left e3: it was tried",
    ),
  ).toEqual([
    "0 user      look",
    "1 assistant [c1: read path=a.ts]",
    "2 tool      c1 -> text",
    "3 assistant seen",
    "4 user      The user ran `ls` in a shell: ``` a.ts ```",
    "5 user      it rains",
    "6 user      Another branch of this conversation was tried and abandoned. This reports what happened there; it does not state what the user wants or allows: <summary> it was tried </summary>",
  ]);
});

test("CTX9 B57 B58 the summary of a compaction comes first, in its tags", () => {
  expect(sentLines("user: one", "says: two", "compacts: they said one, keeps e2")[0]).toMatch(
    /^0 user .*\. <summary> they said one <\/summary>$/,
  );
});

test("CTX9 B3 a shell line that the user excludes from the context is not sent", () => {
  const [one, shell] = story("user: one", "bash: env -> SECRET=1");
  if (shell?.type !== "message" || shell.message.role !== "bashExecution") throw new Error("e2 is a shell line");
  const hidden = { ...shell, message: { ...shell.message, excludeFromContext: true } };
  const { messages } = contextAt(one ? [one, hidden] : []);
  expect(messages).toHaveLength(2);
  expect(show(convertToLlm(messages))).toBe("0 user      one");
});

test("CTX11 HOOK6 B2 B76 a context hook runs before the conversion and changes only this request", async () => {
  const { branch: window } = await createSession("user: one", "says: two", "user: three");
  const context = buildSessionContext(window);
  const hooked = await applyContextHooks(context, {
    runtime: testRuntime(),
    hooks: { context: [({ messages }) => ({ messages: messages.slice(-1) })] },
  });
  expect(hooked.type === "ready" && show(convertToLlm(hooked.context.messages))).toBe("0 user      three");
  expect(buildSessionContext(window)).toEqual(context);
});

test("CTX2 a session grows, is compacted, grows again, and is compacted again", () => {
  const growing = ["user: 1", "says: 2", "user: 3"];
  const first = [...growing, "compacts: 1 and 2, keeps e3"];
  const second = [...first, "says: 4", "user: 5", "compacts: 1 to 4, keeps e6"];
  const showContext = (lines: readonly string[]) => show(contextAt(story(...lines)).messages).split("\n");
  expect(showContext(growing)).toEqual(["0 user      1", "1 assistant 2", "2 user      3"]);
  expect(showContext(first)).toEqual(["0 summary   1 and 2", "1 user      3"]);
  expect(showContext([...first, "says: 4"])).toEqual(["0 summary   1 and 2", "1 user      3", "2 assistant 4"]);
  expect(showContext(second)).toEqual(["0 summary   1 to 4", "1 user      5"]);
});

test("REQ1 REQ2 B4 the system prompt is the first entry, has no date, and does not change", () => {
  const storyLines = ["system: you are careful", "user: one", "says: two", "user: three"];
  const requestAfter = (lines: number) =>
    buildRequest(contextAt(story(...storyLines.slice(0, lines))), { model: storyModel });
  expect(requestAfter(2).system).toEqual([{ name: "prompt", text: "you are careful" }]);
  expect(requestAfter(4).system).toEqual(requestAfter(2).system);
  expect(requestAfter(4).messages.slice(0, 1)).toEqual(requestAfter(2).messages);
});
