/** Proves that each provider rule lets a good request pass, and is broken alone by each request made to break it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelName, Request } from "../../src/model.ts";
import { apisWithRules, findRuleViolations, providerRules } from "../support/provider-rules/provider-rules.ts";

interface Scene {
  readonly model: ModelName;
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly d: string;
}

/** A request that breaks one rule, told by what is wrong with it. */
interface Breaking {
  readonly description: string;
  readonly request: (scene: Scene) => Request;
}

const scenes: Readonly<Record<string, Scene>> = {
  "anthropic-messages": scene("anthropic-messages", (n) => `toolu_${n}`),
  "openai-responses": scene("openai-responses", (n) => `call_${n}|fc_${n}`),
  "openai-completions": scene("openai-completions", (n) => `call-${n}`),
  "google-generative-ai": scene("google-generative-ai", (n) => `${n}.call`),
};

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const thought = { type: "thinking", thinking: "hm", thinkingSignature: "c2lnbmVk" };
const unsigned = { type: "thinking", thinking: "hm" };
const stranger: ModelName = { api: "anthropic-messages", provider: "elsewhere", model: "stranger" };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

const roles: readonly Breaking[] = [
  appended("a message of a role of our own", () => [{ role: "custom", customType: "x", content: "hi", timestamp: 0 }]),
];
const silence: readonly Breaking[] = [
  { description: "no messages", request: (scene) => ({ ...good(scene), messages: [], cacheMarks: [] }) },
];
const opening: readonly Breaking[] = [
  changed("a reply first", ({ messages, ...rest }) => ({ ...rest, messages: messages.slice(1) })),
];
const unpaired: readonly Breaking[] = [
  appended("a call without a result", ({ model, d }) => [reply(model, call(d)), user("well?")]),
  appended("a second result for a call", ({ c }) => [result(c)]),
];
const orphan: readonly Breaking[] = [appended("a result without a call", () => [result("nobody")])];
const displaced: readonly Breaking[] = [
  appended("a user message before the result", ({ model, d }) => [reply(model, call(d)), user("wait"), result(d)]),
  appended("a system message before the result", ({ model, d }) => [reply(model, call(d)), system("now"), result(d)]),
];
const repeatedId: readonly Breaking[] = [
  appended("the id of an earlier call", ({ model, c }) => [reply(model, call(c)), result(c)]),
  appended("the same id twice in one reply", ({ model, d }) => [reply(model, call(d), call(d)), result(d), result(d)]),
];
const unsignedThinking: readonly Breaking[] = [
  appended("thinking without a signature", ({ model }) => [reply(model, unsigned, text("so"))]),
];
const foreignThinking: readonly Breaking[] = [
  appended("thinking of another model", () => [reply(stranger, thought, text("so"))]),
  appended("thinking of the same model elsewhere", ({ model }) => {
    return [reply({ ...model, provider: "elsewhere" }, thought, text("so"))];
  }),
];
const foreignSignatures: readonly Breaking[] = [
  appended("the text signature of another model", () => [reply(stranger, { ...text("so"), textSignature: "c2ln" })]),
  appended("the thought signature of another model", ({ d }) => {
    return [reply(stranger, { ...call(d), thoughtSignature: "c2ln" }), result(d)];
  }),
];
const trailingThinking: readonly Breaking[] = [
  appended("a reply that ends in thinking", ({ model }) => [reply(model, text("so"), thought)]),
  appended("a reply of thinking alone", ({ model }) => [reply(model, thought)]),
];
const withoutBlocks: readonly Breaking[] = [
  appended("a user message without content", () => [user([])]),
  appended("a reply without content", ({ model }) => [reply(model)]),
];
const emptyText: readonly Breaking[] = [
  appended("an empty user message", () => [user("")]),
  appended("an empty text in a reply", ({ model }) => [reply(model, text(""), text("so"))]),
  appended("an empty text in a result", ({ model, d }) => [reply(model, call(d)), result(d, text(""))]),
];
const blankText: readonly Breaking[] = [...emptyText, appended("white space alone", () => [user([text(" \n\t")])])];
const muted: readonly Breaking[] = [
  appended("a reply without content", ({ model }) => [reply(model)]),
  appended("a reply of thinking alone", ({ model }) => [reply(model, thought)]),
  appended("a result without content", ({ model, d }) => [reply(model, call(d)), { ...result(d), content: [] }]),
];
const images: readonly Breaking[] = [
  appended("a bitmap", () => [user([{ ...image, mimeType: "image/bmp" }])]),
  appended("an image without data", () => [user([{ ...image, data: "" }])]),
  appended("an image as a data URL", () => [user([{ ...image, data: "data:image/png;base64,iVBORw0KGgo=" }])]),
];
const gif: readonly Breaking[] = [appended("a GIF", () => [user([{ ...image, mimeType: "image/gif" }])])];
const argumentsKinds: readonly Breaking[] = [[], "{}", null, undefined].map((value) => {
  return appended(`arguments that are ${JSON.stringify(value)}`, ({ model, d }) => {
    return [reply(model, { ...call(d), arguments: value }), result(d)];
  });
});
const badToolName: readonly Breaking[] = [
  changed("a declared name with a space", (request) => ({ ...request, tools: [tool("read"), tool("read it")] })),
  changed("a declared name of 129 letters", (request) => ({ ...request, tools: [tool("a".repeat(129))] })),
  appended("a called name with a space", ({ model, d }) => {
    return [reply(model, { ...call(d), name: "read it" }), { ...result(d), toolName: "read it" }];
  }),
  appended("an added name with a space", () => [{ ...system("more tools"), toolsAdded: [tool("read it")] }]),
];
const longToolName: readonly Breaking[] = [
  changed("a declared name of 65 letters", (request) => ({ ...request, tools: [tool("a".repeat(65))] })),
];
const numberedToolName: readonly Breaking[] = [
  changed("a declared name that begins with a digit", (request) => ({ ...request, tools: [tool("21st")] })),
];
const repeatedTool: readonly Breaking[] = [
  changed("a tool declared twice", (request) => ({ ...request, tools: [tool("read"), tool("read")] })),
];
const choice: readonly Breaking[] = [
  changed("a choice that is not declared", (request) => ({
    ...request,
    thinking: "off",
    toolChoice: { name: "fly" },
  })),
  changed("a choice that was removed", ({ messages, ...rest }) => ({
    ...rest,
    thinking: "off",
    toolChoice: { name: "read" },
    messages: [...messages, { ...system("less"), toolsRemoved: [{ name: "read" }] }],
  })),
  changed("a forced tool where there is none", (request) => ({
    ...request,
    thinking: "off",
    toolChoice: "required",
    tools: [],
    messages: [user("hi")],
  })),
];
const forcedThinking: readonly Breaking[] = [
  changed("a forced tool while thinking", (request) => ({ ...request, toolChoice: "required" })),
];
const marks: readonly Breaking[] = [
  changed("five marks", (request) => ({ ...request, cacheMarks: [0, 1, 2, 3, 4].map(mark) })),
  ...[-1, 1.5, 99, "0"].map((index) => {
    return changed(`a mark on message ${index}`, (request) => ({ ...request, cacheMarks: [mark(index)] }));
  }),
];
const surrogates: readonly Breaking[] = [
  appended("half a pair in a text", () => [user("\ud83d")]),
  appended("half a pair in a key of arguments", ({ model, d }) => {
    return [reply(model, { ...call(d), arguments: { deep: [{ "\ude00": 1 }] } }), result(d)];
  }),
  changed("half a pair in the system prompt", (request) => ({
    ...request,
    system: [{ name: "prompt", text: "\ud83d" }],
  })),
  changed("half a pair in a tool", (request) => ({ ...request, tools: [{ ...tool("read"), description: "\ud83d" }] })),
];
const failed: readonly Breaking[] = ["error", "aborted"].map((stopReason) => {
  return appended(`a reply that ended in ${stopReason}`, ({ model }) => [{ ...reply(model, text("so")), stopReason }]);
});

const breaking: Readonly<Record<string, readonly Breaking[]>> = {
  ANT1: [...silence, ...opening, ...roles],
  ANT2: unpaired,
  ANT3: [...orphan, ...displaced],
  ANT4: [...repeatedId, ...badIds("call|item", "a.b", "")],
  ANT5: [...unsignedThinking, ...foreignThinking],
  ANT6: trailingThinking,
  ANT7: [...withoutBlocks, ...blankText],
  ANT8: images,
  ANT9: argumentsKinds,
  ANT10: [...badToolName, ...repeatedTool],
  ANT11: [...choice, ...forcedThinking],
  ANT12: marks,
  ANT13: surrogates,
  ANT14: failed,
  OAR1: roles,
  OAR2: unpaired,
  OAR3: orphan,
  OAR4: [...repeatedId, ...sharedCallId(), ...badIds("a".repeat(65), `call|${"f".repeat(65)}`, "a|b|c", "a|", "")],
  OAR5: [...unsignedThinking, ...foreignThinking],
  OAR6: trailingThinking,
  OAR7: foreignSignatures,
  OAR8: images,
  OAR9: [...badToolName, ...longToolName],
  OAR10: choice,
  OAR11: surrogates,
  OAR12: failed,
  OAC1: [...silence, ...opening, ...roles],
  OAC2: [
    appended("two replies in a row", ({ model }) => [reply(model, text("one")), reply(model, text("two"))]),
    appended("two replies with a system message between them", ({ model }) => {
      return [reply(model, text("one")), system("now"), reply(model, text("two"))];
    }),
  ],
  OAC3: unpaired,
  OAC4: [...orphan, ...displaced],
  OAC5: [...repeatedId, ...badIds("call|item", "a".repeat(65), "")],
  OAC6: [...foreignThinking, ...foreignSignatures],
  OAC7: muted,
  OAC8: images,
  OAC9: [...badToolName, ...longToolName],
  OAC10: choice,
  OAC11: surrogates,
  OAC12: failed,
  GEM1: [...silence, ...roles],
  GEM2: [
    ...opening,
    appended("a call after a reply", ({ model, d }) => [reply(model, text("so")), reply(model, call(d)), result(d)]),
    changed("a call after a leading system message", ({ messages, ...rest }) => {
      return { ...rest, messages: [system("first"), ...messages.slice(1)] };
    }),
  ],
  GEM3: unpaired,
  GEM4: [...orphan, ...displaced],
  GEM5: [
    appended("a result with another name", ({ model, d }) => [
      reply(model, call(d)),
      { ...result(d), toolName: "write" },
    ]),
  ],
  GEM6: badIds(""),
  GEM7: [...foreignThinking, ...foreignSignatures],
  GEM8: [...withoutBlocks, ...emptyText],
  GEM9: [...images, ...gif],
  GEM10: argumentsKinds,
  GEM11: [...badToolName, ...longToolName, ...numberedToolName, ...repeatedTool],
  GEM12: choice,
  GEM13: failed,
};

describe.each(apisWithRules)("%s", (api) => {
  const scene = sceneOf(api);

  test("a valid request violates no rule", () => {
    expect(findRuleViolations(good(scene), scene.model)).toEqual([]);
  });

  test("there are at least eight rules, numbered without a gap", () => {
    const numbers = providerRules(api).map(({ id: number }) => number);
    const name = numbers[0]?.slice(0, 3);
    expect(numbers).toEqual(numbers.map((_, index) => `${name}${index + 1}`));
    expect(numbers.length).toBeGreaterThanOrEqual(8);
  });

  for (const { id: number } of providerRules(api)) {
    for (const { description: says, request } of breaking[number] ?? []) {
      test(`${number} refuses ${says}`, () => {
        const numbers = findRuleViolations(request(scene), scene.model).map((line) => line.split(" ", 1)[0]);
        expect([...new Set(numbers)]).toEqual([number]);
      });
    }
  }

  test("any JSON is checked without throwing", () => {
    fc.assert(fc.property(wildRequest, (request) => Array.isArray(findRuleViolations(request, scene.model))));
  });

  test("a hundred thousand nested arguments do not overflow", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const messages = [
      ...good(scene).messages,
      reply(scene.model, { ...call(scene.d), arguments: deep }),
      result(scene.d),
    ];
    expect(findRuleViolations(made({ ...good(scene), messages }), scene.model)).toEqual([]);
  });
});

test("every rule has a request that violates it, and every such request has its rule", () => {
  const numbers = apisWithRules.flatMap((api) => providerRules(api).map(({ id: number }) => number));
  expect(Object.keys(breaking)).toEqual(numbers);
  expect(numbers.filter((number) => (breaking[number] ?? []).length === 0)).toEqual([]);
});

test("the description of every rule is one sentence about what is refused", () => {
  const sentences = apisWithRules.flatMap((api) => providerRules(api).map(({ description }) => description));
  expect(sentences.filter((description) => !/^[A-Z][^!?]*refused[^!?]*\.$/.test(description))).toEqual([]);
});

test("a fault contains its path", () => {
  const { model } = sceneOf("anthropic-messages");
  const request = made({
    ...good(sceneOf("anthropic-messages")),
    messages: [user("hi"), result("c7")],
    cacheMarks: [],
  });
  expect(findRuleViolations(request, model)).toEqual(["ANT3 messages[1]: result c7 has no call"]);
});

test("an api without rules is an error, not a pass", () => {
  expect(() => providerRules("telepathy")).toThrow("there are no provider rules for api telepathy");
});

const wildBlock = fc.record(
  {
    type: fc.constantFrom("text", "thinking", "toolCall", "image", "other"),
    text: fc.jsonValue(),
    id: fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue()),
    name: fc.jsonValue(),
    arguments: fc.jsonValue(),
    data: fc.jsonValue(),
    mimeType: fc.jsonValue(),
    thinkingSignature: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const wildMessage = fc.record(
  {
    role: fc.oneof(fc.constantFrom("system", "user", "assistant", "toolResult"), fc.jsonValue()),
    content: fc.oneof(fc.array(fc.oneof(wildBlock, fc.jsonValue())), fc.jsonValue()),
    toolCallId: fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue()),
    toolName: fc.jsonValue(),
    stopReason: fc.jsonValue(),
    toolsAdded: fc.jsonValue(),
    toolsRemoved: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const wildFields = fc.record(
  {
    system: fc.jsonValue(),
    tools: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    messages: fc.oneof(fc.array(fc.oneof(wildMessage, fc.jsonValue())), fc.jsonValue()),
    thinking: fc.jsonValue(),
    toolChoice: fc.oneof(fc.constant({ name: "a" }), fc.jsonValue()),
    cacheMarks: fc.oneof(fc.array(fc.record({ after: fc.constant("message"), index: fc.jsonValue() })), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const wildRequest = fc.oneof(wildFields, fc.jsonValue()).map(made);

/** Several turns, parallel calls, signed thinking, images, a system message in place, and a reply of another model. */
function good({ model, a, b, c }: Scene): Request {
  return made({
    system: [{ name: "prompt", text: "You are terse. 😀" }],
    tools: [tool("read"), tool("write")],
    messages: [
      user([text("what is this?"), image]),
      reply(model, thought, { ...text("two looks"), textSignature: "c2ln" }, signedCall(a), call(b)),
      result(b),
      result(a, text("seen"), image),
      { ...system("Be brief."), toolsAdded: [tool("open")] },
      reply(stranger, text("a cat")),
      user("go on"),
      user("please"),
      reply(model, thought, call(c)),
      result(c),
    ],
    thinking: "high",
    toolChoice: "auto",
    cacheMarks: [{ after: "tools" }, { after: "system" }, mark(0), mark(9)],
  });
}

/** The good request with more said after its end. */
function appended(description: string, more: (scene: Scene) => readonly unknown[]): Breaking {
  return {
    description,
    request: (scene) => made({ ...good(scene), messages: [...good(scene).messages, ...more(scene)] }),
  };
}

/** The good request, changed; without cache marks, so that messages may go. */
function changed(description: string, change: (request: Request) => unknown): Breaking {
  return { description, request: (scene) => made(change({ ...good(scene), cacheMarks: [] })) };
}

function badIds(...ids: readonly string[]): readonly Breaking[] {
  return ids.map((id) => appended(`the id "${id}"`, ({ model }) => [reply(model, call(id)), result(id)]));
}

function sharedCallId(): readonly Breaking[] {
  return [
    appended("two items of one call id", ({ model }) => {
      return [reply(model, call("x|fc_1"), call("x|fc_2")), result("x|fc_1"), result("x|fc_2")];
    }),
  ];
}

function scene(api: string, id: (name: string) => string): Scene {
  return { model: { api, provider: "here", model: "mind-1" }, a: id("a"), b: id("b"), c: id("c"), d: id("d") };
}

function sceneOf(api: string): Scene {
  const found = scenes[api];
  if (!found) throw new Error(`there is no scene for api ${api}`);
  return found;
}

/** Tests make requests that the compiler would not let pass. */
function made(request: unknown): Request {
  return request as Request;
}

function user(content: unknown) {
  return { role: "user", content, timestamp: 0 };
}

function system(content: string) {
  return { role: "system", content, timestamp: 0 };
}

function reply(model: ModelName, ...content: readonly unknown[]) {
  return { role: "assistant", content, ...model, usage, stopReason: "stop", timestamp: 0 };
}

function result(toolCallId: string, ...content: readonly unknown[]) {
  const blocks = content.length > 0 ? content : [text("done")];
  return { role: "toolResult", toolCallId, toolName: "read", content: blocks, isError: false, timestamp: 0 };
}

function text(words: string) {
  return { type: "text", text: words };
}

function call(id: string) {
  return { type: "toolCall", id, name: "read", arguments: { path: "a.txt" } };
}

function signedCall(id: string) {
  return { ...call(id), thoughtSignature: "c2ln" };
}

function tool(name: string) {
  return { name, description: `The tool ${name}.`, parameters: { type: "object" } };
}

function mark(index: unknown) {
  return { after: "message", index };
}
