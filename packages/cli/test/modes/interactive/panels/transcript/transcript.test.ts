/** The transcript page: what keys do, and what is read for it. */

import { stripVTControlCharacters } from "node:util";
import { Session } from "@pith/context";
import { createSession, nodeRuntime } from "@pith/context/node";
import { emptyUsage } from "@pith/context/testing";
import { expect, test } from "vitest";
import { openPanel } from "../../../../../src/modes/interactive/panels/panel.ts";
import { getBlockText } from "../../../../../src/modes/interactive/panels/transcript/draw.ts";
import { createTranscriptSource } from "../../../../../src/modes/interactive/panels/transcript/state.ts";
import { createTranscriptPanel } from "../../../../../src/modes/interactive/panels/transcript/transcript.ts";
import { createTheme } from "../../../../../src/modes/interactive/render/theme.ts";
import { createTempFolder } from "../../../../support/command-context.ts";

const sight = { width: 80, height: 24, theme: createTheme("none") };

interface Read {
  readonly session: Session;
  reads: number;
}

/** Questions and answers in turn, with the numbers of their entries; every hundredth is a compaction. */
async function createLongSession(entries: number): Promise<Read> {
  const made = await createSession({
    cwd: createTempFolder("pith-long-"),
    env: { PITH_HOME: createTempFolder("pith-home-") },
  });
  if (made.type !== "opened") throw new Error("no session could be made");
  let parentId: string | null = null;
  for (let at = 0; at < entries; at += 500) {
    const batch = Array.from({ length: Math.min(500, entries - at) }, (_, more) => {
      const entry = { ...createEntry(at + more), id: `e${at + more}`, parentId, timestamp: "2026-01-01T00:00:00Z" };
      parentId = entry.id;
      return entry;
    });
    await made.store.append(batch as never, { expectedLeaf: await made.store.leaf(), isReplaceable: true });
  }
  const session = await Session.open(made.store, nodeRuntime);
  const read = { session, reads: 0 };
  const { store } = session;
  const entry = store.entry.bind(store);
  store.entry = (id) => {
    read.reads++;
    return entry(id);
  };
  return read;
}

function createEntry(at: number): object {
  if (at % 100 === 50)
    return { type: "compaction", summary: `summary ${at}`, firstKeptEntryId: `e${at - 1}`, tokensBefore: 9_000 };
  if (at % 2 === 0) return { type: "message", message: { role: "user", content: `question ${at}.`, timestamp: 1 } };
  const content = [{ type: "text", text: `answer ${at}.` }];
  const model = { api: "x", provider: "p", model: "m", usage: emptyUsage, stopReason: "stop", timestamp: 1 };
  return { type: "message", message: { role: "assistant", content, ...model } };
}

function opened(source: Read) {
  const readAtFirst: number[] = [];
  let isChanged = Promise.withResolvers<void>();
  const panel = openPanel(createTranscriptPanel(createTranscriptSource(source.session, "a long talk")), {
    where: "page",
    onChange: () => {
      readAtFirst.push(source.reads);
      isChanged.resolve();
    },
  });
  const drawn = (): string => panel.render(sight).join("\n");
  const plainText = (): string => stripVTControlCharacters(drawn());
  return {
    panel,
    drawn,
    plainText,
    readAtFirst,
    press: (...keys: readonly string[]) => {
      for (const key of keys) panel.handleKey(key);
    },
    until: async (words: string | RegExp): Promise<string> => {
      for (let tries = 0; tries < 2_000; tries++) {
        if (typeof words === "string" ? plainText().includes(words) : words.test(plainText())) return plainText();
        await Promise.race([isChanged.promise, new Promise((resolve) => setTimeout(resolve, 20))]);
        isChanged = Promise.withResolvers();
      }
      throw new Error(`never seen: ${words}\n${plainText()}`);
    },
  };
}

test("RES14 the transcript opens at its end after reading only a few pages", async () => {
  const source = await createLongSession(4_000);
  const page = opened(source);
  await page.until("answer 3999.");
  expect(page.readAtFirst[0]).toBeLessThan(400);
  await page.until("100% of 4,000 entries");
  page.press("escape");
});

test("RES15 scrolling up from the end reaches the first entry through every compaction, with no entry missing", async () => {
  const page = opened(await createLongSession(600));
  await page.until("100% of 600 entries");
  const texts = new Set<string>();
  for (let steps = 0; steps < 900; steps++) {
    for (const [words] of page.plainText().matchAll(/(?:question|answer) \d+\./g)) texts.add(words);
    page.press("up");
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(page.plainText()).toContain("question 0.");
  expect(texts.size).toBe(600 - 6);
  page.press("escape");
});

test("RES16 g goes to the first entry and G to the last, even while the beginning is being read", async () => {
  const page = opened(await createLongSession(3_000));
  await page.until("answer 2999.");
  page.press("g");
  await page.until("question 0.");
  page.press("down", "down");
  expect(page.plainText()).toContain("▌  question 2.".replace("  question", "> question"));
  page.press("G");
  await page.until("answer 2999.");
  page.press("escape");
});

test("RES17 / finds text anywhere, n goes to the match before and N to the match after", async () => {
  const page = opened(await createLongSession(2_000));
  await page.until("100% of 2,000 entries");
  page.press("/", ..."answer 77", "enter");
  await page.until("▌  answer 779.");
  page.press("n");
  await page.until("▌  answer 777.");
  page.press("N");
  await page.until("▌  answer 779.");
  page.press("/", ..."no such words", "enter");
  await page.until('No matches for "no such words".');
  page.press("escape");
});

test("RES18 a compaction is shown at its position, and Enter expands it there", async () => {
  const page = opened(await createLongSession(60));
  await page.until("answer 59.");
  page.press("/", ..."summary 50", "enter");
  await page.until(/▌.*9,000|▌.*9\.0k|▌.*ompact/);
  const open = await page.until("summary 50");
  page.press("enter");
  expect(page.plainText()).not.toBe(open);
  expect(page.plainText()).toContain("answer 49.");
  page.press("escape");
});

test("RES25 an open transcript follows new entries while the last one is selected", async () => {
  const source = await createLongSession(300);
  const page = opened(source);
  await page.until("100% of 300 entries");
  const { reads } = source;
  for (let at = 0; at < 30; at++) await source.session.append(user(`more ${at}.`));
  await page.until("▌> more 29.");
  expect(page.plainText()).toContain("100% of 330 entries");
  expect(source.reads).toBe(reads);
  page.press("up");
  await source.session.append(user("unseen, for the time being."));
  await page.until("331 entries");
  expect(page.plainText()).toContain("▌> more 28.");
  page.press("G");
  expect(page.plainText()).toContain("▌> unseen, for the time being.");
  page.press("escape");
});

test("RES25 an empty transcript shows the first message, and not messages of another branch", async () => {
  const source = await createLongSession(0);
  const page = opened(source);
  await page.until("No messages yet.");
  await source.session.append(user("the first words."));
  await page.until("▌> the first words.");
  await source.session.move(null);
  await source.session.append(user("elsewhere."));
  expect(page.plainText()).not.toContain("elsewhere.");
  page.press("escape");
});

function user(content: string) {
  return { type: "message", message: { role: "user", content, timestamp: 1 } } as const;
}

test("RES26 matches are highlighted, and visible in a block of any height", async () => {
  const source = await createLongSession(2);
  const lines = Array.from({ length: 400 }, (_, at) => (at === 300 ? "the Needle is here" : `straw ${at}`));
  await source.session.append(user(lines.join("\n")));
  for (let at = 0; at < 40; at++) await source.session.append(user(`more ${at}.`));
  const page = opened(source);
  await page.until("more 39.");
  page.press("/", ..."needle", "enter");
  await page.until("the Needle is here");
  expect(page.drawn()).toContain("the \x1b[7mNeedle\x1b[0m\x1b[1m is here");
  page.press("escape");
});

test("RES17 a search matches the arguments of a tool call, but not their JSON", () => {
  const edits = [{ oldText: "giraffe", newText: "zebra" }];
  const called = { kind: "tool", id: "c", tool: "edit", state: "done", output: "", images: [] } as const;
  const words = getBlockText({ ...called, arguments: { path: "a.ts", edits } });
  expect(words).toContain("giraffe");
  expect(words).not.toContain("object");
});
