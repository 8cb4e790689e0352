/** Proves that an entry becomes small enough to stay, whatever it holds, and that nothing comes back which an edit has removed. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { buildSessionContext, entryMessage } from "../../src/context/build-context.ts";
import { sanitizeMessage } from "../../src/context/sanitize-message.ts";
import { type PlannedEdit, type ShrinkOptions, shrinkEntry } from "../../src/context/shrink-entry.ts";
import type { ContextEditEntry, Entry } from "../../src/entry.ts";
import type { AgentMessage, AssistantMessage, Message, ToolCallBlock, UserMessage } from "../../src/message.ts";
import { compactionLimits } from "../../src/settings.ts";
import { story } from "../../src/testing/story.ts";
import { messageTokens, textTokens } from "../../src/tokens/estimate-tokens.ts";
import { compactSmall, createSession, repeatWord } from "../support/small-session.ts";

const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
const text = (text: string) => ({ type: "text", text: text });

/** The last entry of a story, with other content. */
function holding(line: string, content: unknown): Entry {
  const entry = story("calls: read", line).at(-1) as Entry & { type: "message" };
  return { ...entry, message: { ...entry.message, content } as AgentMessage };
}

function shortenedTo(tokens: number, entry: Entry, how: Partial<ShrinkOptions> = {}): PlannedEdit | null {
  return shrinkEntry(entry, { tokens, imageMark: null, edits: [], ...how });
}

/** What is sent of it. */
function sent(entry: Entry, shortening: PlannedEdit | null): Message | null {
  const message = entryMessage(entry, (shortening as ContextEditEntry | null) ?? undefined) as Message;
  return sanitizeMessage(message, undefined);
}

const contentOf = (shortening: PlannedEdit | null): unknown => shortening?.replacement?.content;

describe("an edited entry", () => {
  test("CUT7 CTX3 is shortened without the secret and the image that the edit removed", () => {
    const branch = story("user: x", "calls: read", "result: the password is hunter2");
    const edit = {
      ...(story("user: x", "drops e1")[1] as ContextEditEntry),
      targetId: "e3",
      replacement: { content: [text(`the password is [removed] ${repeatWord(500)}`)] },
    } as ContextEditEntry;
    const shortening = shortenedTo(100, branch[2] as Entry, { edits: [edit], imageMark: () => "[image]" });
    expect(JSON.stringify(shortening)).toMatch(/password is \[removed\].*#3 opens all of it/);
    expect(JSON.stringify(shortening)).not.toMatch(/hunter2|\[image\]/);
  });

  test("CUT7 that was removed stays removed", () => {
    const [paste, edit] = story(`user: ${repeatWord(500)}`, "drops e1") as [Entry, ContextEditEntry];
    expect(shortenedTo(100, paste, { edits: [edit] })).toBeNull();
  });

  test("CUT7 TREE7 of a type that edits cannot change is left unchanged", () => {
    const [system, shell] = story(`system: ${repeatWord(500)}`, `bash: ls -> ${repeatWord(500)}`) as [Entry, Entry];
    const custom = { ...system, message: { role: "custom", customType: "x", content: repeatWord(500), display: true } };
    for (const entry of [system, shell, custom as unknown as Entry]) expect(shortenedTo(100, entry)).toBeNull();
    expect(shortenedTo(100, story(`note: ${repeatWord(500)}`)[0] as Entry)).not.toBeNull();
  });
});

describe("unusual content", () => {
  test.each([null, undefined, 7, "text", [1, 2]])("CUT7 as call arguments, %j, stays unchanged", (odd) => {
    const call = { type: "toolCall", id: "c", name: "read", arguments: odd };
    const entry = holding("says: x", [null, { type: "text" }, { type: "sound" }, call, text(repeatWord(500))]);
    expect(contentOf(shortenedTo(100, entry))).toMatchObject([null, { type: "text" }, { type: "sound" }, call, {}]);
  });

  test.each(["user: x", "result: x"])("CUT7 as unknown blocks in `%s` stays unchanged", (line) => {
    const entry = holding(line, [null, { type: "text" }, 7, text(repeatWord(500)), { type: "sound" }, image]);
    const short = { type: "text", text: expect.stringContaining("#2 opens all of it") };
    expect(contentOf(shortenedTo(100, entry))).toEqual([null, { type: "text" }, 7, short, { type: "sound" }, image]);
  });

  test("CUT7 that is missing or short is not reduced", () => {
    for (const content of [null, undefined, [], 7, [text("short")], "short"])
      for (const line of ["user: x", "says: x", "result: x"])
        expect(shortenedTo(100, holding(line, content))).toBeNull();
  });
});

describe("many blocks", () => {
  test("CUT7 are shortened together; images that stay keep their places", () => {
    const blocks = Array.from({ length: 2000 }, (_, at) => text(repeatWord(20, `b${at}x`)));
    const entry = holding("result: x", [image, ...blocks, image]);
    const shortening = shortenedTo(4000, entry);
    expect(contentOf(shortening)).toEqual([image, text(expect.stringMatching(/^b0x0 [\s\S]* b1999x19$/)), image]);
    expect(messageTokens(sent(entry, shortening) as Message)).toBeLessThanOrEqual(4000 + 8);
  });

  test("CUT7 beside images that use all the room keep a quarter of it", () => {
    const entry = holding("result: x", [text(repeatWord(100)), image, text(repeatWord(900)), image]);
    const [first, ...others] = contentOf(shortenedTo(2000, entry)) as readonly [{ text: string }];
    expect(others).toEqual([image, image]);
    expect(textTokens(first.text)).toBeGreaterThan(400);
    expect(textTokens(first.text)).toBeLessThanOrEqual(500);
  });

  test("CUT7 KEEP8 may be marks of images, which are shortened like other text", () => {
    const entry = holding("result: x", Array(900).fill(image));
    let callCount = 0;
    const shortening = shortenedTo(200, entry, { imageMark: () => `[image ${++callCount}]` });
    expect(callCount).toBe(900);
    expect(contentOf(shortening)).toEqual([text(expect.stringMatching(/^\[image 1\]\n[\s\S]*\[image 900\]$/))]);
    expect(messageTokens(sent(entry, shortening) as Message)).toBeLessThanOrEqual(208);
  });

  test("CUT7 KEEP8 with an image without a mark keep that image", () => {
    const other = { ...image, data: "b3RoZXI=" };
    const entry = holding("user: x", [image, text("this"), other]);
    const shortening = shortenedTo(2000, entry, { imageMark: ({ data }) => (data === image.data ? "[image]" : null) });
    expect(contentOf(shortening)).toEqual([text("[image]"), text("this"), other]);
    expect(shortenedTo(4000, entry, { imageMark: () => null })).toBeNull();
  });

  test("CUT7 KEEP8 with marks that fit have them in the places of the images", () => {
    const entry = holding("user: x", [text("this"), image, text("or that"), image]);
    const shortening = shortenedTo(200, entry, { imageMark: () => "[image]" });
    expect(contentOf(shortening)).toEqual(["this", "[image]", "or that", "[image]"].map(text));
  });
});

test("KEEP8 of a message that is too large by one image lose only the oldest image", async () => {
  const session = await createSession("user: look", `says: ${repeatWord(2_000)}`);
  const images = ["A", "B", "C"].map((letter) => ({ ...image, data: letter.repeat(40_000) }));
  await session.append({
    type: "message",
    message: { role: "user", content: [text("these"), ...images] as UserMessage["content"], timestamp: 0 },
  });
  const limits = { ...compactionLimits, requestSize: { bytes: 120_000, share: 1 } };
  const budget = createBudget(limits, { contextWindow: 100_000 });
  const outcome = await compactSmall(session, { budget, reason: "due" });
  expect(outcome).toMatchObject({ type: "compacted" });
  const message = buildSessionContext(session.branch).messages.at(-1);
  expect(message).toMatchObject({
    content: [text("these"), text(expect.stringMatching(/^\[image /)), images[1], images[2]],
  });
});

describe("a reply", () => {
  const thinking = { type: "thinking", thinking: repeatWord(300), thinkingSignature: "signed" };
  const call = (args: unknown) => ({ type: "toolCall", id: "call_1|fc_1", name: "write", arguments: args });

  test("CUT7 OAR7 keeps its reasoning, ids and signatures byte for byte", () => {
    const signed = { ...call({ path: "a.ts", content: repeatWord(900) }), thoughtSignature: "thought" };
    const createReply = { ...text(repeatWord(900)), textSignature: "msg_1" };
    const entry = holding("says: x", [thinking, createReply, thinking, signed]);
    const content = contentOf(shortenedTo(300, entry));
    expect(content).toEqual([
      thinking,
      { ...createReply, text: expect.stringContaining("#2 opens all of it") },
      thinking,
      { ...signed, arguments: { path: "a.ts", content: expect.stringContaining("#2 opens all of it") } },
    ]);
    expect(sent(entry, shortenedTo(300, entry))?.content[0]).toBe(thinking);
  });

  test("CUT7 is not reduced because of its reasoning alone", () => {
    expect(shortenedTo(100, holding("says: x", [thinking, text("done")]))).toBeNull();
  });

  test("CUT7 with three thousand arguments keeps the first ones and the number of the others", () => {
    const args = Object.fromEntries(
      Array.from({ length: 3000 }, (_, at) => [`key${at}`, `a value of few words ${at}`]),
    );
    const entry = holding("says: x", [call(args)]);
    const shortening = shortenedTo(1000, entry);
    const [{ arguments: short }] = contentOf(shortening) as readonly [ToolCallBlock];
    expect(short).toMatchObject({ key0: args.key0, "…": expect.stringMatching(/^2,9\d\d more .* #2 opens/) });
    expect(messageTokens(sent(entry, shortening) as Message)).toBeLessThanOrEqual(1000 + 50);
  });

  test("CUT7 keeps short arguments whole beside long ones, and the shape of lists", () => {
    const edits = Array.from({ length: 30 }, (_, at) => ({
      old: repeatWord(200, `o${at}x`),
      new: repeatWord(200, `n${at}x`),
    }));
    const entry = holding("says: x", [call({ path: "src/a.ts", edits })]);
    const [{ arguments: short }] = contentOf(shortenedTo(6000, entry)) as readonly [ToolCallBlock];
    expect(short).toMatchObject({ path: "src/a.ts", edits: { length: 30 } });
    expect(JSON.stringify(short)).toMatch(/"old":"o0x0 .*#2 opens all of it/);
  });
});

describe("any content", () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 30, unit: "binary" }),
    fc.nat(900).map((count) => repeatWord(count)),
    fc.nat(900).map((count) => '\u0001"\n漢😀'.repeat(count)),
  );
  const odd = fc.constantFrom<unknown>(null, 7, {}, { type: "text" }, { type: "text", text: 7 }, { type: "sound" });
  const value = fc.oneof(
    fc.object({ values: [texts, fc.double(), fc.boolean(), fc.constant(null)], maxDepth: 4 }),
    fc.dictionary(texts, texts, { maxKeys: 300 }),
    fc.array(texts, { maxLength: 300 }).map((list) => ({ list })),
    fc.integer({ min: 1, max: 150 }).map((depth) => nested(depth)),
  );
  const callBlock = fc.record({
    type: fc.constant("toolCall"),
    id: fc.constantFrom("c1", "call_1|fc_1"),
    name: fc.constant("read"),
    arguments: fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: odd }),
  });
  const textBlock = texts.map(text);
  const thinkingBlock = fc.constant({ type: "thinking", thinking: "hm", thinkingSignature: "signed" });
  const shown = fc.oneof(texts, fc.array(fc.oneof(textBlock, odd), { maxLength: 80 }));
  const replied = fc.array(fc.oneof(textBlock, callBlock, thinkingBlock, odd), { maxLength: 30 });
  const amount = fc.integer({ min: -5, max: 3000 });

  function nested(depth: number): object {
    return Array.from({ length: depth }).reduce<object>((inner) => ({ inner, also: repeatWord(20) }), {
      end: repeatWord(50),
    });
  }

  test("CUT7 of a message has no more tokens than allowed", () => {
    fc.assert(
      fc.property(shown, fc.constantFrom("user: x", "result: x"), amount, (content, line, tokens) => {
        const entry = holding(line, typeof content === "string" && line !== "user: x" ? [text(content)] : content);
        const message = sent(entry, shortenedTo(tokens, entry));
        if (message) expect(messageTokens(message)).toBeLessThanOrEqual(Math.max(60, tokens) + FRAME);
      }),
      { numRuns: 200 },
    );
  });

  test("CUT7 of a reply has at most that and the minimum of each block; its calls and reasoning stay", () => {
    fc.assert(
      fc.property(replied, amount, (content, tokens) => {
        const entry = holding("says: x", content);
        const before = JSON.stringify(entry);
        const shortening = shortenedTo(tokens, entry);
        const after = (contentOf(shortening) ?? content) as AssistantMessage["content"];
        const { message: reply } = entry as Entry & { readonly message: AssistantMessage };
        const barest = { ...reply, content: after.flatMap(barely) };
        const message = sanitizeMessage({ ...reply, content: after }, undefined);
        const most = Math.max(60, tokens) + messageTokens(barest);
        if (message) expect(messageTokens(message)).toBeLessThanOrEqual(most);
        expect(fixedIn(after)).toEqual(fixedIn(content));
        expect(JSON.stringify(entry)).toBe(before);
      }),
      { numRuns: 200 },
    );
  });

  /** What is around the texts of a message, and what is rounded. */
  const FRAME = 8 + 2;

  function barely(block: AssistantMessage["content"][number]): AssistantMessage["content"] {
    if (block?.type === "toolCall") return [{ ...block, arguments: { "…": "[…]" } }];
    if (block?.type === "text" && typeof block.text === "string") return [{ type: "text", text: "[…]" }];
    return block?.type === "thinking" ? [block] : [];
  }

  function fixedIn(content: readonly unknown[]): unknown {
    return content.flatMap((block) => {
      const { type, id, name } = Object(block) as Readonly<Record<string, unknown>>;
      if (type === "toolCall") return [{ id, name }];
      return type === "text" ? [] : [block];
    });
  }
});

test("RCL4 of a search result loses its end, so that the best hits stay", () => {
  const hits = Array.from({ length: 40 }, (_, index) => `#${index} (user): hit number ${index}`).join("\n");
  const entry = holding("result: x", [text(hits)]) as Entry & { type: "message" };
  const found = { ...entry, message: { ...entry.message, toolName: "recall" } } as Entry;
  const [block] = contentOf(shortenedTo(200, found)) as readonly { readonly text: string }[];
  expect(block?.text).toMatch(
    /^#0 \(user\): hit number 0\n#1 .*\n\[… [\d,]+ of about [\d,]+ tokens .*#\d+ opens all of it …\]\n$/s,
  );
  expect(block?.text).not.toContain("#39 ");
  expect((contentOf(shortenedTo(200, entry)) as readonly { readonly text: string }[])[0]?.text).toContain("#39 ");
});
