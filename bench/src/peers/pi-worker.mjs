/** Serves pi's own library over a line protocol: one JSON command in, one JSON answer out. Runs without network. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const pi = await import(process.argv[2]);
/** The same modules with the planning of compactions, which pi's door does not show. */
const planning = process.argv[3] ? await import(process.argv[3]) : null;
const SETTINGS = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };
let session = null;

const commands = {
  /** The contexts of a file at some of its entries, counted in file order without the header. */
  contexts({ file, leaves }) {
    const entries = pi.parseSessionEntries(readFileSync(file, "utf8"));
    pi.migrateSessionEntries(entries);
    const body = entries.filter((entry) => entry.type !== "session");
    return leaves.map((at) => pi.buildSessionContext(body, body[at].id));
  },
  /** The same as one hash each: contexts are long, and mostly equal. */
  hashes(parts) {
    return commands.contexts(parts).map(({ messages, thinkingLevel, model }) =>
      createHash("sha256")
        .update(JSON.stringify([messages, thinkingLevel, model]))
        .digest("hex"),
    );
  },
  open({ file }) {
    session = pi.SessionManager.open(file);
    return { entries: session.getEntryCount?.() ?? session.getEntries().length };
  },
  /** What pi shows when it resumes a file: where it stands, and the conversation. */
  resume({ file }) {
    const opened = pi.SessionManager.open(file);
    const { messages, thinkingLevel, model } = opened.buildSessionContext();
    return { leaf: opened.getLeafId(), messages, thinkingLevel, model, name: opened.getSessionName?.() };
  },
  /** pi goes on with a file: a message behind the leaf. */
  goOn({ file, message }) {
    return pi.SessionManager.open(file).appendMessage(message);
  },
  /** pi's fork of a whole file into another folder, and of one branch; the paths of both. */
  fork({ file, folder }) {
    const whole = pi.SessionManager.forkFrom(file, folder, folder);
    const one = pi.SessionManager.open(file, folder);
    const branch = one.createBranchedSession(one.getLeafId());
    return { whole: whole.getSessionFile(), branch };
  },
  /** What pi does before it compacts the open session: the branch, the plan, and within it the cut. */
  plan() {
    const start = performance.now();
    const branch = session.getBranch();
    const walked = performance.now();
    const plan = planning.prepareCompaction(branch, SETTINGS);
    const planned = performance.now();
    planning.findCutPoint(branch, 0, branch.length, SETTINGS.keepRecentTokens);
    const cut = performance.now();
    return {
      branchMs: walked - start,
      planMs: planned - walked,
      cutMs: cut - planned,
      covered: plan?.messagesToSummarize.length ?? 0,
    };
  },
  /** What pi shows its summariser of these entries: how many it covers, and what each of them becomes. */
  summariserInput({ entries }) {
    const { firstKeptEntryIndex: covered } = planning.findCutPoint(
      entries,
      0,
      entries.length,
      SETTINGS.keepRecentTokens,
    );
    const told = entries.slice(0, covered).map((entry) => (entry.type === "message" ? [entry.message] : []));
    return { covered, texts: told.map((messages) => pi.serializeConversation(pi.convertToLlm(messages))) };
  },
  /**
   * Compacts a file as pi does when it is asked to, with these texts as the replies of its model: `turn` is said where pi asks for the
   * beginning of a turn by itself. What its model reads then: the summary message, and all texts behind it.
   */
  async compact({ file, settings, history, turn }) {
    const opened = pi.SessionManager.open(file);
    const prepared = planning.prepareCompaction(opened.getBranch(), settings);
    if (!prepared) throw new Error(`there is nothing to compact in ${file}`);
    const asksTwice = prepared.isSplitTurn && prepared.messagesToSummarize.length > 0;
    const replies = prepared.isSplitTurn ? [...(asksTwice ? [history] : []), turn] : [[history, turn].join("\n\n")];
    const calls = replies.length;
    const stream = () => ({ result: async () => createReply(replies.shift() ?? "") });
    const none = undefined;
    const result = await pi.compact(prepared, { reasoning: false }, "any", none, none, none, "off", stream);
    const { summary, firstKeptEntryId, tokensBefore, details, usage } = result;
    const id = opened.appendCompaction(summary, firstKeptEntryId, tokensBefore, details, false, usage);
    const { messages } = opened.buildSessionContext();
    const at = messages.findIndex(({ role }) => role === "compactionSummary");
    const texts = pi.convertToLlm(messages.slice(at)).map(({ content }) => textsIn(content));
    return { id, firstKeptEntryId, calls, front: texts[0].join("\n"), tail: texts.slice(1).flat().join("\n") };
  },
  /** Appends without looking at the context. */
  append({ message }) {
    return session.appendMessage(message);
  },
  /** Opens a file and builds its context, as resuming a session does. */
  openContext({ file }) {
    const start = performance.now();
    const opened = pi.SessionManager.open(file);
    const openMs = performance.now() - start;
    const { messages } = opened.buildSessionContext();
    const contextMs = performance.now() - start;
    return { openMs, contextMs, messages: messages.length, rssMb: process.memoryUsage().rss / 1e6 };
  },
  /** Appends a message and builds the context again, as a running agent does before each request. */
  warm({ message }) {
    const start = performance.now();
    session.appendMessage(message);
    const appended = performance.now();
    const context = session.buildSessionContext();
    const built = performance.now();
    const sent = pi.convertToLlm(context.messages);
    const converted = performance.now();
    return {
      appendMs: appended - start,
      contextMs: built - appended,
      convertMs: converted - built,
      messages: sent.length,
    };
  },
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  const { op, ...parts } = JSON.parse(line);
  let answer;
  try {
    answer = { ok: await commands[op](parts) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function createReply(text) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage, timestamp: 1 };
}

/** The texts of a message, those of its tool calls included. */
function textsIn(content) {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "toolCall" ? stringsIn(block.arguments) : [block.text ?? ""]));
}

function stringsIn(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(stringsIn) : [];
}
