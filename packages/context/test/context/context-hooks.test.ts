/** Tests context/context-hooks.ts: a hook changes the messages of one request, on a copy, and nothing else. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionContext } from "../../src/context/build-context.ts";
import { applyContextHooks, type ContextHookResult, type ContextHooks } from "../../src/context/context-hooks.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { HookFailure } from "../../src/hooks.ts";
import type { AgentMessage } from "../../src/message.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show, story } from "../../src/testing/story.ts";
import { contextAt, storyModel } from "../support/story-context.ts";

type ContextHook = NonNullable<ContextHooks["context"]>[number];

const context = contextAt(
  story("system: be careful", "user: one", "says: two", "system: be quick", "user: three", "bash: ls -> a"),
);
const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 0 });

/** The result, and the reported failures. */
async function applyHooks(
  hooks: readonly ContextHook[],
  host: Partial<ContextHooks> = {},
  given: SessionContext = context,
) {
  const reported: HookFailure[] = [];
  const report = (failure: HookFailure): void => void reported.push(failure);
  const act = { hooks: { report, ...host, context: hooks }, runtime: testRuntime() };
  return { outcome: await applyContextHooks(given, act), reported };
}

/** Each message with the id of its entry. */
function shown(outcome: ContextHookResult): readonly string[] {
  if (outcome.type === "cancelled") return ["cancelled"];
  const { messages, sources } = outcome.context;
  return show(messages)
    .split("\n")
    .map((line, at) => `${sources[at] || "-"} ${line.replace(/^\d+ (\w+)\s+/, "$1 ")}`);
}

const asItWas = shown({ type: "ready", context });

describe("context_with_system hooks", () => {
  test("SAY10 may replace system messages after the other hooks, and kept messages keep their sources", async () => {
    const calls: string[] = [];
    const whole: NonNullable<ContextHooks["context_with_system"]>[number] = ({ type, messages }) => {
      calls.push(`${type} ${messages.map(({ role }) => role).join(" ")}`);
      const [first, ...rest] = messages;
      return {
        messages: [{ role: "system", content: "be bold", timestamp: 0 }, ...rest.slice(1), first as AgentMessage],
      };
    };
    const { outcome, reported } = await applyHooks([({ messages }) => ({ messages: messages.slice(0, 2) })], {
      context_with_system: [whole],
    });
    expect(reported).toEqual([]);
    expect(calls).toEqual(["context_with_system system user assistant system"]);
    expect(shown(outcome)).toEqual([
      "- system be bold",
      "e3 assistant two",
      "e4 system be quick",
      "e1 system be careful",
    ]);
  });

  test("SAY10 an invalid system message is rejected, and context hooks cannot add one", async () => {
    for (const wrong of [
      { content: 5 },
      { content: [5] },
      { content: "", sections: [] },
      { content: "", toolsAdded: [5] },
    ]) {
      const message = { role: "system", timestamp: 0, ...wrong } as unknown as AgentMessage;
      const { outcome, reported } = await applyHooks([], { context_with_system: [() => ({ messages: [message] })] });
      expect(shown(outcome)).toEqual(asItWas);
      expect(reported).toHaveLength(1);
    }
    const { outcome } = await applyHooks([() => ({ messages: [{ role: "system", content: "x", timestamp: 0 }] })]);
    expect(shown(outcome)).toEqual(asItWas);
  });
});

describe("the event of a context hook", () => {
  test("HOOK6 B76 has deep copies of the messages without system messages", async () => {
    const before = structuredClone(context);
    const calls: string[] = [];
    const spoiling: ContextHook = ({ type, messages }) => {
      calls.push(`${type}\n${show(messages)}`);
      for (const message of messages) {
        const { content } = message as { readonly content?: unknown };
        if (Array.isArray(content)) for (const block of content) Object.assign(block, { text: "spoilt" });
        Object.assign(message, { content: "spoilt", command: "spoilt" });
      }
      messages.length = 0;
    };
    const { outcome } = await applyHooks([spoiling, spoiling]);
    expect(calls[0]).toBe(
      ["context", "0 user      one", "1 assistant two", "2 user      three", "3 shell     ls -> a"].join("\n"),
    );
    expect(calls[1]).toBe(calls[0]);
    expect(context).toStrictEqual(before);
    expect(outcome).toStrictEqual({ type: "ready", context });
  });

  test("HOOK6 has the messages that the previous hook returned", async () => {
    const adding =
      (text: string): ContextHook =>
      ({ messages }) => ({ messages: [...messages, user(text)] });
    const { outcome } = await applyHooks([adding("first"), () => undefined, adding("second")]);
    expect(shown(outcome)).toStrictEqual([...asItWas, "- user first", "- user second"]);
  });

  test("HOOK6 without hooks the context does not change", async () => {
    expect((await applyHooks([])).outcome).toStrictEqual({ type: "ready", context });
  });
});

describe("the result of a context hook", () => {
  test("HOOK6 CTX14 returned messages keep their source, changed or not; added messages have none", async () => {
    const changing: ContextHook = ({ messages: [first, second, ...rest] }) => ({
      messages: [
        user("mine"),
        Object.assign(second as AgentMessage, { content: [{ type: "text", text: "TWO" }] }) as AgentMessage,
        ...rest,
        { ...first } as AgentMessage,
      ],
    });
    expect(shown((await applyHooks([changing])).outcome)).toStrictEqual([
      "e1 system be careful",
      "- user mine",
      "e3 assistant TWO",
      "e4 system be quick",
      "e5 user three",
      "e6 shell ls -> a",
      "- user one",
    ]);
  });

  test("HOOK6 CTX14 sources pass through several hooks", async () => {
    const dropping: ContextHook = ({ messages }) => ({ messages: messages.slice(1) });
    expect(shown((await applyHooks([dropping, dropping])).outcome)).toStrictEqual([
      "e1 system be careful",
      "e5 user three",
      "e6 shell ls -> a",
      "e4 system be quick",
    ]);
  });

  test("HOOK6 system messages keep their positions as far as possible", async () => {
    expect(shown((await applyHooks([() => ({ messages: [] })])).outcome)).toStrictEqual([
      "e1 system be careful",
      "e4 system be quick",
    ]);
    const before = context.messages.filter(({ role }) => role === "system");
    const { outcome } = await applyHooks([() => ({ messages: [user("a"), user("b"), user("c")] })]);
    expect(shown(outcome)).toStrictEqual([
      "e1 system be careful",
      "- user a",
      "- user b",
      "e4 system be quick",
      "- user c",
    ]);
    const after = outcome.type === "ready" ? outcome.context.messages.filter(({ role }) => role === "system") : [];
    expect(after.map((message, at) => message === before[at])).toStrictEqual([true, true]);
  });

  test("HOOK6 a hook cannot change a message after it returned it", async () => {
    const held: AgentMessage[] = [];
    const holding: ContextHook = ({ messages }) => {
      held.push(...messages, user("mine"));
      return { messages: [...held] };
    };
    const { outcome } = await applyHooks([holding]);
    for (const message of held) Object.assign(message, { content: "too late", command: "too late" });
    expect(shown(outcome)).toStrictEqual([...asItWas, "- user mine"]);
  });

  test("HOOK6 the rest of the context does not change", async () => {
    const given = contextAt(story("model: anthropic/storyteller", "thinking: high", "user: one"));
    const { outcome } = await applyHooks([() => ({ messages: [user("mine")] })], {}, given);
    expect(outcome).toStrictEqual({ type: "ready", context: { ...given, messages: [user("mine")], sources: [""] } });
  });

  test("HOOK6 CTX11 any returned messages can be sent", () => {
    const anything = fc.anything({ maxDepth: 1 });
    const type = fc.constantFrom("text", "image", "thinking", "toolCall");
    const block = fc.record({ type, text: anything, id: anything, name: anything, arguments: anything });
    const message = fc.record({
      role: fc.constantFrom("user", "assistant", "toolResult", "custom", "bashExecution", "compactionSummary"),
      content: fc.array(fc.oneof(block, anything), { maxLength: 3 }),
      summary: fc.string(),
      blocks: fc.option(fc.array(anything, { maxLength: 3 }), { nil: undefined }),
      command: fc.string(),
      output: anything,
      toolCallId: anything,
      stopReason: anything,
      timestamp: anything,
    });
    const nothing = { content: [], summary: "", command: "", output: "", toolCallId: "", stopReason: "", timestamp: 0 };
    const broken = { ...nothing, role: "compactionSummary" as const, blocks: [{ toString: null }] };
    return fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), async (messages) => {
        const { outcome, reported } = await applyHooks([() => ({ messages: messages as never })]);
        expect(reported).toStrictEqual([]);
        if (outcome.type === "ready") convertToLlm(outcome.context.messages, storyModel);
      }),
      { numRuns: 400, examples: [[[broken]]] },
    );
  });
});

describe("a hook that fails", () => {
  const nonsense = "the hook returned `messages` that are not an array of valid messages";
  const failing: readonly [string, ContextHook, string][] = [
    ["throws", () => Promise.reject<never>(new Error("no")), "no"],
    ["hangs", () => new Promise<never>(() => {}), "no answer within 30 s"],
    ["gives back no list", () => ({ messages: "all" as never }), nonsense],
    ["gives back nothing in a list", () => ({ messages: [null as never] }), nonsense],
    ["gives back places without messages", () => ({ messages: new Array(2) }), nonsense],
    ["gives back a system message", () => ({ messages: context.messages }), nonsense],
    ["gives back a user without content", () => ({ messages: [{ role: "user" } as never] }), nonsense],
    ["gives back a role nobody knows", () => ({ messages: [{ role: "oracle", content: "x" } as never] }), nonsense],
    [
      "gives back what cannot be copied",
      () => ({ messages: [{ ...user("x"), more: () => 7 } as never] }),
      expect.stringContaining("could not be cloned") as never,
    ],
  ];

  test.each(failing)("HOOK6 HOOK4 because it %s is reported once, and the other hooks run", async (_, hook, why) => {
    const dropping: ContextHook = ({ messages }) => ({ messages: messages.slice(3) });
    const { outcome, reported } = await applyHooks([dropping, hook, () => undefined]);
    expect(reported).toStrictEqual([{ event: "context", why }]);
    expect(shown(outcome)).toStrictEqual(["e1 system be careful", "e6 shell ls -> a", "e4 system be quick"]);
  });

  test.each(failing)("HOOK6 HOOK4 because it %s prevents the request with onFailure cancel", async (_, hook) => {
    let callCount = 0;
    const { outcome, reported } = await applyHooks([hook, () => void callCount++], { onFailure: "cancel" });
    expect(outcome).toStrictEqual({ type: "cancelled" });
    expect({ reports: reported.length, callCount }).toStrictEqual({ reports: 1, callCount: 0 });
  });

  test.each([[undefined], [null], [7], [{}], [{ messages: null }]])(
    "HOOK6 that returns %j changes nothing",
    async (answer) => {
      const { outcome, reported } = await applyHooks([() => answer as never]);
      expect({ outcome, reported }).toStrictEqual({ outcome: { type: "ready", context }, reported: [] });
    },
  );

  test("HOOK6 an abort does not wait for a hook", async () => {
    const stop = new AbortController();
    const hook: ContextHook = () => {
      stop.abort();
      return new Promise<never>(() => {});
    };
    const act = { hooks: { context: [hook] }, runtime: testRuntime(), signal: stop.signal };
    expect(await applyContextHooks(context, act)).toStrictEqual({ type: "cancelled" });
  });
});
