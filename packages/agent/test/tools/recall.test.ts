/** Tests the tool recall on session files in a home of their own, with the real search index. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Entry, Session, textTokens } from "@pith/context";
import { createSession, keepBlob, nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { expect, onTestFinished, test } from "vitest";
import { sessionSearch } from "../../src/node/session-search.ts";
import type { OpenOtherSession } from "../../src/ports.ts";
import type { ToolOutput } from "../../src/tool.ts";
import { type RecallToolOptions, recallTool } from "../../src/tools/recall/recall.ts";

interface RecalledSession {
  readonly session: Session;
  readonly path: string;
  readonly recall: (query: string, offset?: number) => Promise<string>;
  readonly run: (args: Readonly<Record<string, unknown>>) => Promise<ToolOutput>;
}

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), "pith-recall-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function openRecalled(
  entries: readonly Entry[],
  options: Partial<RecallToolOptions> & { readonly home?: string; readonly maxOutputBytes?: number } = {},
): Promise<RecalledSession> {
  const { home = createHome(), redaction, maxOutputBytes = 50 * 1024 } = options;
  const created = await createSession({ cwd: "/code/one", env: { PITH_HOME: home } });
  if (created.type !== "opened") throw new Error(created.type);
  const { store } = created;
  onTestFinished(async () => void (await store.close()));
  for (const entry of entries) await store.append([entry], { expectedLeaf: await store.leaf() });
  const session = await Session.open(store, nodeRuntime);
  const search = sessionSearch(store.path, { home, redaction });
  const tool = recallTool({ search, root: "/code/one", ...options, session });
  const run = (args: Readonly<Record<string, unknown>>): Promise<ToolOutput> =>
    tool.run({
      id: "call",
      arguments: args,
      signal: AbortSignal.timeout(30_000),
      maxOutputBytes,
      update: () => {},
    });
  return { session, path: store.path, run, recall: async (query, offset) => textOf(await run({ query, offset })) };
}

function textOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

const COMPACTED_LINES = [
  "user: The gateway listens on 8443",
  "thinks: nobody must see the heron",
  "says: Understood.",
  "calls: read path=src/proxy.ts",
  "result: const upstream = 'falcon';",
  "calls: bash command=make",
  "fails: 3 tests failed: timeout in osprey.test.ts",
  "bash: git log -> commit by kestrel",
  "compacts: The gateway, falcon and osprey, keeps nothing",
  "user: And now?",
];
const compacted = story(...COMPACTED_LINES);

test("RCL1 an entry that a compaction covered is found by its words, with how to open it", async () => {
  const { recall } = await openRecalled(compacted);
  expect(await recall("gateway")).toBe(
    "1 match.\n#1 (user): The gateway listens on 8443\n[Open an entry with read #1.]",
  );
  expect(await recall("kestrel")).toContain("#7 (shell command run by the user): git log commit by kestrel");
  expect(await recall("osprey")).toContain("#6 (failed result of bash make): 3 tests failed: timeout in osprey");
  expect(await recall("pelican")).toMatch(/^No matches\. Try/);
});

test("RCL1 entries on another branch are found and marked", async () => {
  const { recall } = await openRecalled(
    story("user: start", "says: the heron plan", "moves: e1", "says: another plan", "user: go on"),
  );
  expect(await recall("heron")).toContain("#2 (assistant, other branch): the heron plan");
  expect(await recall("another")).toContain("#4 (assistant): another plan");
});

test("RCL2 a query matches entries with one of its words, and those with its rarest word come first", async () => {
  const filler = Array.from({ length: 40 }, (_, index) => [`user: which port does it use, try ${index}`, "says: no"]);
  const { recall } = await openRecalled(story(...filler.flat(), "user: staging: 8443", "says: ok", "user: go on"));
  const question = "Which port does the staging gateway use?";
  expect((await recall(question)).split("\n").slice(0, 2)).toEqual(["1 match.", "#81 (user): staging: 8443"]);
  expect(await recall("which port")).toMatch(/^40 matches, best first\.\n#79 \(user\): which port/);
});

test("RCL2 summaries, earlier results of recall and the current turn are not found", async () => {
  const { recall } = await openRecalled([
    ...story(
      "user: The falcon is blue",
      "calls: recall query=falcon",
      "result: #1 (user): The falcon is blue",
      "says: Blue.",
      "compacts: The falcon is blue, keeps nothing",
      "user: Which color has the falcon?",
      "says: I look up falcon",
    ),
  ]);
  expect(await recall("falcon")).toBe("1 match.\n#1 (user): The falcon is blue\n[Open an entry with read #1.]");
});

test("RCL3 file: finds calls and results of a file by relative or absolute path, and tool: finds those of a tool", async () => {
  const { recall } = await openRecalled(compacted);
  const call = "#3 (call of read): read src/proxy.ts → #4: const upstream = 'falcon';";
  expect(await recall("file:src/proxy.ts")).toContain(call);
  expect(await recall("file:/code/one/src/proxy.ts")).toContain(call);
  expect(await recall("file:src/other.ts")).toMatch(/^No matches/);
  expect(await recall("file:/code/one2/src/proxy.ts")).toMatch(/^No matches/);
  const calls = await recall("tool:bash");
  expect(calls).toContain("#5 (call of bash): bash make → #6 (failed): 3 tests failed: timeout in osprey.test.ts");
  expect(calls).toContain("#6 (failed result of bash make)");
  expect(calls).not.toContain("#3 ");
  expect(calls).toMatch(/^2 matches, newest first\.\n#6 /);
  expect(await recall('tool:read "const upstream"')).toContain("#4 (result of read src/proxy.ts)");
});

test("RCL3 a range lists entries and narrows a search, and a single number opens an entry", async () => {
  const { recall } = await openRecalled(compacted);
  expect(await recall("#1-#4")).toBe(
    [
      "#1 (user): The gateway listens on 8443",
      "#2 (assistant): Understood.",
      "#3 (assistant): [tool call: read] path: src/proxy.ts",
      "#4 (result of read src/proxy.ts): const upstream = 'falcon';",
      "[Open an entry with read #1.]",
    ].join("\n"),
  );
  expect(await recall("#4-#8 tests")).toContain("#6 (failed");
  for (const range of ["#4-#6", "#6-#8"]) expect(await recall(`${range} tests`)).toContain("#6 (failed");
  expect(await recall("#1-#3 tests")).toMatch(/^No matches/);
  expect(await recall("#6")).toBe(
    "[#6: tool result: bash, failed; the call in #5: command: make]\n3 tests failed: timeout in osprey.test.ts",
  );
  expect(await recall("#90-#99")).toBe("the last entry is #9");
});

test("RCL4 long lists have pages, and every hit is on one of them", async () => {
  const entries = Array.from({ length: 60 }, (_, index) => [`user: heron number ${index}`, "says: ok"]).flat();
  const { recall } = await openRecalled(story(...entries, "user: go on"));
  const seenIds = new Set<string>();
  for (let offset: number | undefined = 1; offset !== undefined; ) {
    const page: string = await recall("heron", offset);
    expect(Buffer.byteLength(page)).toBeLessThan(9_000);
    for (const [number] of page.matchAll(/^#\d+/gm)) seenIds.add(number);
    offset = /Continue with offset (\d+)/.exec(page)?.[1] === undefined ? undefined : Number(RegExp.$1);
  }
  expect(seenIds.size).toBe(60);
  expect(await recall("#1-#120")).toContain("Continue with offset 101.");
  expect(await recall("#1-#120", 101)).toMatch(/^#101 \(user\)/);
});

test("RCL4 a list whose first page ends just before the last entry offers a page with this entry", async () => {
  const { recall } = await openRecalled(story(...Array.from({ length: 101 }, (_, index) => `user: stone ${index}`)));
  expect(await recall("#1-#100")).toMatch(/^#100 .*\n\[Open an entry with read #1\.\]$/m);
  expect(await recall("#1-#101")).toMatch(/^#100 .*\n\[Open an entry with read #1\. Continue with offset 101\.\]$/m);
  expect(await recall("#1-#101", 101)).toBe("#101 (user): stone 100\n[Open an entry with read #101.]");
});

test.each([3, 4, 7])("RCL4 the pages of a list of %d long entries show each entry once", async (length) => {
  const lines = Array.from({ length }, (_, index) => `user: stone ${index} ${"of the observatory ".repeat(8)}`);
  const { recall } = await openRecalled(story(...lines), { maxOutputBytes: 300 });
  const pages = await readPages(`#1-#${length}`, recall);
  expect(pages.length).toBeGreaterThan(1);
  expect(listShown(pages)).toEqual(lines.map((_, index) => `#${index + 1}`));
});

test.each(["heron", "heron #1-#99"])(
  "RCL2 RCL4 the pages of the search %s show each hit once, although better hits of the current turn are left out",
  async (query) => {
    const earlier = Array.from({ length: 20 }, (_, index) => [`user: heron ${wordsOf(index)}`, "says: ok"]).flat();
    const { recall } = await openRecalled(story(...earlier, "user: heron heron", "says: heron", "says: heron again"));
    const pages = await readPages(query, recall);
    expect(pages.length).toBeGreaterThan(1);
    const numbers = listShown(pages).toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => `#${2 * index + 1}`));
  },
);

test("RCL2 a search whose first hits are all of the current turn shows the hits after them", async () => {
  const calls = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => [`calls: make target=t${index}`, `result: made ${index}`]).flat();
  const { recall } = await openRecalled(story("user: start", ...calls(1), "user: go on", ...calls(31)));
  const page = await recall("tool:make");
  expect(page).toMatch(/^#3 \(result of make/m);
  expect(listShown([page])).toEqual(["#3", "#2"]);
  expect(page).not.toContain("Continue");
});

test("RCL2 RCL5 the number of matches does not include hits that are never shown, whichever page they are on", async () => {
  const calls = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => [`calls: make target=t${index}`, `result: made ${index}`]).flat();
  const current = await openRecalled(story("user: start", ...calls(1), "user: go on", ...calls(31)));
  expect(await current.recall("tool:make")).toMatch(/^2 matches, newest first\.\n/);
  const commands = Array.from({ length: 3 }, () => "bash: cat notes -> heron");
  const messages = Array.from({ length: 70 }, (_, index) => [`user: heron ${index}`, "says: ok"]).flat();
  const entries = story("user: start", ...commands, ...messages, "user: go on");
  const hidden = await openRecalled(
    entries.map((entry) => (JSON.stringify(entry).includes("cat notes") ? hideCommand(entry) : entry)),
  );
  for (const page of await readPages("heron", hidden.recall)) expect(page).toMatch(/^70 matches, best first\.\n/);
});

test("RCL4 the number of more than 500 matches is shown as 500 or more", async () => {
  const messages = Array.from({ length: 501 }, (_, index) => [`user: heron ${index}`, "says: ok"]).flat();
  const { recall } = await openRecalled(story(...messages, "user: go on"));
  expect(await recall("heron")).toMatch(/^500 or more matches, best first\.\n/);
});

async function readPages(query: string, recall: RecalledSession["recall"]): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let offset = 1; offset > 0 && pages.length < 50; ) {
    const page = await recall(query, offset);
    pages.push(page);
    offset = Number(/Continue with offset (\d+)\.\]$/.exec(page)?.[1] ?? 0);
  }
  return pages;
}

/** The numbers at the beginnings of the lines. */
function listShown(pages: readonly string[]): readonly string[] {
  return pages.flatMap((page) => page.match(/^#\d+/gm) ?? []);
}

test("RCL4 the first page has at most 8 lines in 700 tokens, and is shortened from its end only", async () => {
  const text = (index: number): string => `heron ${index} ${wordsOf(index)}`;
  const entries = Array.from({ length: 30 }, (_, index) => [`user: ${text(index)}`, "says: ok"]).flat();
  const { recall } = await openRecalled(story(...entries, "user: go on"));
  const page = await recall("heron");
  const lines = page.split("\n").slice(1, -1);
  expect(lines).toHaveLength(8);
  expect(textTokens(page)).toBeLessThanOrEqual(700);
  expect(textTokens(page)).toBeGreaterThan(500);
  const sizes = lines.map(({ length }) => length);
  expect(Math.min(...sizes.slice(0, 2))).toBeGreaterThan(240);
  expect(Math.max(...sizes.slice(3))).toBeLessThan(100);
  expect((await recall("heron", 9)).split("\n").length - 2).toBeGreaterThan(15);
});

/** Many different words, so that no two texts are similar. */
function wordsOf(index: number): string {
  return Array.from(
    { length: 60 },
    (_, at) => `${"abcdefghijklmnopqrstuvwxyzäöü"[index]}${(at * 7919).toString(36)}`,
  ).join(" ");
}

test("RCL10 a hit in a call shows its result, and a result names its call", async () => {
  const { recall } = await openRecalled(
    story(
      "user: start",
      "calls: bash command=deploy_osprey; write path=src/b.ts content=osprey",
      "fails: no route to host heron",
      "result: Created src/b.ts: 1 line, 6 bytes.",
      "user: go on",
    ),
  );
  expect(await recall("deploy")).toContain(
    "#2 (call of bash): bash deploy_osprey write src/b.ts osprey → #3 (failed): no route to host heron\n",
  );
  expect(await recall("heron")).toContain("#3 (failed result of bash deploy_osprey): no route to host heron\n");
  // A result that only confirms the call is not repeated.
  expect(await recall("file:src/b.ts osprey")).toContain(
    "#2 (call of write): bash deploy_osprey write src/b.ts osprey → #4\n",
  );
});

test("RCL4 hits that differ in a few words are named beside the best one, with these words", async () => {
  const expectedLines = (port: number): readonly string[] => [
    `user: the staging gateway of the shop listens on ${port}`,
    "says: ok",
  ];
  const { recall } = await openRecalled(
    story(...expectedLines(8443), ...expectedLines(9443), ...expectedLines(9443), "user: go on"),
  );
  expect(await recall("gateway")).toBe(
    "3 matches, best first.\n#5 (user): the staging gateway of the shop listens on 9443 [also #3, #1 (8443)]\n[Open an entry with read #5.]",
  );
});

test("RCL4 hits that share only a few words have a line each, with their text", async () => {
  const lines = [
    "the heron nests beside the northern lock and raises three young every spring",
    "the heron left when workers drained our old millpond before winter",
  ];
  const { recall } = await openRecalled(story(`user: ${lines[0]}`, "says: ok", `user: ${lines[1]}`, "user: go on"));
  const found = await recall("heron");
  expect(found).toContain(`#1 (user): ${lines[0]}\n`);
  expect(found).toContain(`#3 (user): ${lines[1]}\n`);
});

test("RCL11 stored output is searched and redacted, and the hit gives its reference and line", async () => {
  const lines = Array.from({ length: 900 }, (_, index) =>
    index === 500 ? "the osprey key is falcon" : `line ${index}`,
  );
  const redaction = {
    redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("falcon", "<secret>")),
  };
  const { recall, reference } = await openStoredOutput(lines.join("\n"), redaction);
  expect(await recall("osprey")).toMatch(
    new RegExp(
      `^1 match\\.\n#3 \\(result of bash make, line 49\\d of ${reference}\\): .*the osprey key is <secret> line 501`,
    ),
  );
  expect(await recall("falcon")).toMatch(/^No matches/);
});

test.each([
  ["300 KB", 300],
  ["400 KB", 400],
])(
  "RCL11 a hit in the end of %s of stored output names no line, because the middle is not searched",
  async (_, size) => {
    const lines = Array.from({ length: size * 16 }, (_unused, index) => `line ${index}`.padEnd(63));
    const { recall, reference } = await openStoredOutput(
      [...lines, "the osprey is here", ...lines.slice(-50)].join("\n"),
    );
    expect(await recall("osprey")).toMatch(
      new RegExp(`^1 match\\.\n#3 \\(result of bash make, ${reference}\\): .*the osprey is here`),
    );
  },
);

interface StoredOutputSession {
  readonly recall: (query: string) => Promise<string>;
  /** How a hit names the blob. */
  readonly reference: string;
}

/** A session with one call of bash, whose result names the blob with its whole output. */
async function openStoredOutput(
  output: string,
  redaction: RecallToolOptions["redaction"] = undefined,
): Promise<StoredOutputSession> {
  const home = createHome();
  const created = await createSession({ cwd: "/code/one", env: { PITH_HOME: home } });
  if (created.type !== "opened") throw new Error(created.type);
  const { store } = created;
  onTestFinished(async () => void (await store.close()));
  const kept = await keepBlob(store.path, new TextEncoder().encode(output));
  if (kept.type !== "kept") throw new Error(kept.why);
  const reference = `blob:${kept.hash.slice(0, 8)}`;
  const shown = `line 0\n[… 9,000 bytes omitted; read ${reference} for the full output …]\nline 899`;
  const [user, call, result, next] = story("user: start", "calls: bash command=make", "result: x", "user: go on");
  for (const entry of [user, call, result, next])
    if (entry)
      await store.append([entry === result ? withText(entry, shown) : entry], { expectedLeaf: await store.leaf() });
  const session = await Session.open(store, nodeRuntime);
  const tool = recallTool({ search: sessionSearch(store.path, { home, redaction }), session, redaction });
  const recall = async (query: string): Promise<string> =>
    textOf(
      await tool.run({
        id: "c",
        arguments: { query },
        signal: AbortSignal.timeout(30_000),
        maxOutputBytes: 51_200,
        update: () => {},
      }),
    );
  return { recall, reference };
}

function withText(entry: Entry, text: string): Entry {
  if (entry.type !== "message") throw new Error("no message");
  return { ...entry, message: { ...entry.message, content: [{ type: "text", text }] } } as Entry;
}

test("RCL4 hits with the same text are shown once", async () => {
  const read = ["calls: read path=a.ts", "result: export const heron = 1;"];
  const { recall } = await openRecalled(story("user: look", ...read, ...read, ...read, "user: go on"));
  expect(await recall("heron")).toBe(
    "3 matches, best first.\n#7 (result of read a.ts): export const heron = 1; [also #5, #3]\n[Open an entry with read #7.]",
  );
});

test("RCL3 a range may be given from its last number to its first", async () => {
  const { recall } = await openRecalled(compacted);
  const lines = await recall("#3-#5");
  expect(lines.split("\n")).toHaveLength(4);
  expect(await recall("#5-#3")).toBe(lines);
  expect(await recall("#5-#3 osprey")).toBe(await recall("#3-#5 osprey"));
});

test("RCL4 a list is within the bytes that a result may have, and says how to go on", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `user: stone ${index} ${"of the observatory ".repeat(8)}`);
  const { recall } = await openRecalled(story(...lines), { maxOutputBytes: 1_000 });
  const page = await recall("#1-#40");
  expect(page).toMatch(/Continue with offset \d+\.\]$/);
  expect(page.length).toBeLessThan(1_000 + 300);
});

test("RCL5 thinking, hidden commands and secrets are not shown", async () => {
  const entries = story(...COMPACTED_LINES, "bash: cat notes -> secret heron", "user: Go on.");
  const { recall, path } = await openRecalled(
    entries.map((entry) => (JSON.stringify(entry).includes("cat notes") ? hideCommand(entry) : entry)),
    { redaction: { redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("falcon", "<secret>")) } },
  );
  expect(readFileSync(path, "utf8")).toContain("heron");
  for (const query of ["heron", "heron #1-#11", "notes"]) expect(await recall(query)).toMatch(/^No matches/);
  expect(await recall("#9-#10")).not.toContain("heron");
  expect(await recall("#2")).toBe("[#2: assistant]\nUnderstood.");
  expect(await recall("#10")).not.toContain("secret");
  expect(await recall("#4")).not.toContain("falcon");
  expect(await recall("falcon")).toMatch(/^No matches/);
});

test("RCL5 a secret by which a hit differs from a better one is not shown, even if the search returns it", async () => {
  const entries = story("user: the key of the gateway is falcon", "says: ok", "user: Go on.");
  const excerpts = ["the key of the gateway is unknown", "the key of the gateway is falcon"];
  const { recall } = await openRecalled(entries, {
    redaction: { redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("falcon", "REMOVED")) },
    search: async () => {
      const hits = entries.slice(0, 2).map(({ id }, index) => ({ id, excerpt: excerpts[index] ?? "" }));
      return { type: "found", hits, count: 2, more: false, incomplete: null };
    },
  });
  expect(await recall("gateway")).toBe(
    "2 matches, best first.\n#1 (user): the key of the gateway is unknown [also #2 (removed)]\n[Open an entry with read #1.]",
  );
});

test("RCL5 RCL10 a secret in a found call or in its result is not shown, even if the search returns it", async () => {
  const entries = story("user: start", "calls: bash command=deploy", "result: falcon", "user: Go on.");
  const excerpts = new Map([
    ["e2", "bash deploy falcon"],
    ["e3", "the key is falcon"],
  ]);
  const { recall } = await openRecalled(entries, {
    redaction: { redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("falcon", "REMOVED")) },
    search: async () => {
      const hits = [...excerpts].map(([id, excerpt]) => ({ id, excerpt }));
      return { type: "found", hits, count: 2, more: false, incomplete: null };
    },
  });
  expect(await recall("deploy")).toContain("#2 (call of bash): bash deploy REMOVED → #3: the key is REMOVED\n");
});

test("RCL5 RCL10 no piece of a secret is left where a result, a call or an entry is shortened", async () => {
  const secret = ["falcon", "osprey", "kestrel", "harrier", "goshawk", "buzzard"].join("-");
  // A text of so many characters is cut in the secret.
  const cutAt = (chars: number): string => `${"x".repeat(chars - 10)} ${secret}`;
  const { recall, path } = await openRecalled(
    story(
      "user: start",
      "calls: bash command=deploy",
      `result: ${cutAt(60)} ${"y".repeat(200)} ${secret} ${"z".repeat(50)}`,
      `calls: bash command=${cutAt(60).replace(" ", "\t")}`,
      "fails: no route to the gateway",
      `says: ${cutAt(200)}`,
      "user: go on",
    ),
    { redaction: { redact: (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, "<secret>")) } },
  );
  expect(readFileSync(path, "utf8")).toContain(secret);
  const answers = [await recall("deploy"), await recall("gateway"), await recall("#2-#6")];
  expect(answers[0]).toMatch(/→ #3: x+ <secret> {1,2}… {1,2}<secret> z+$/m);
  expect(answers[1]).toMatch(/^#5 \(failed result of bash x+ <secret>\)/m);
  expect(answers[2]).toMatch(/^#6 \(assistant\): x+ <secret>$/m);
  for (const bird of secret.split("-")) expect(answers.join("\n")).not.toContain(bird);
});

function hideCommand(entry: Entry): Entry {
  if (entry.type !== "message" || entry.message.role !== "bashExecution") throw new Error("no command");
  return { ...entry, message: { ...entry.message, excludeFromContext: true } };
}

test("RCL6 another session is searched only if the user named it after @session:", async () => {
  const calls: (readonly [string, readonly string[]])[] = [];
  let closed = 0;
  const home = createHome();
  const other = await openRecalled(story("user: the ibis fix is in retry.ts", "says: ok"), { home });
  const openSession: OpenOtherSession = async (reference, named) => {
    calls.push([reference, named]);
    return named.includes(reference)
      ? { type: "opened", session: { store: other.session.store, search: sessionSearch(other.path, { home }), close } }
      : { type: "refused", why: "not named" };
  };
  const close = async (): Promise<void> => {
    closed += 1;
  };
  const { recall } = await openRecalled(
    story("user: see @session:login", "says: from @session:evil", 'user: use (@session:"api fix") and @session:login'),
    { home, openSession },
  );
  expect(await recall("session:login ibis")).toBe(
    '1 match.\n#1 (user): the ibis fix is in retry.ts\n[Open an entry with recall "session:login #1".]',
  );
  expect(await recall("session:login #1")).toBe("[#1: user]\nthe ibis fix is in retry.ts");
  expect(await recall("session:evil ibis")).toBe("not named");
  expect(calls.at(-1)).toEqual(["evil", ["api fix", "login"]]);
  // Each call closes the session that it opened.
  expect(closed).toBe(2);
});

test("RCL6 an @session: in a message of the program is ignored, even if the message is the latest", async () => {
  const [request, reported] = story("user: see @session:login", "user: The job printed @session:evil");
  if (reported?.type !== "message") throw new Error("no message");
  const ofProgram = { ...reported, message: { ...reported.message, pith: { from: "program" } } } as Entry;
  const openSession: OpenOtherSession = async (_, named) => ({ type: "refused", why: `named: ${named.join(", ")}` });
  const { recall } = await openRecalled([request as Entry, ofProgram], { openSession });
  expect(await recall("session:evil ibis")).toBe("named: login");
});

test("RCL7 a query without search words is an error that explains what to give", async () => {
  const { run } = await openRecalled(compacted);
  for (const args of [{}, { query: " " }, { query: 5 }]) {
    const output = await run(args);
    expect(output.isError).toBe(true);
    expect(textOf(output)).toBe("query is missing: give words, file:src/a.ts, tool:bash or #40-#60");
  }
});
