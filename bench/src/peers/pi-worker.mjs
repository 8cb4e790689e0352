/** Serves pi's library over a line protocol: one JSON command in, one JSON response out. Runs without network. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const pi = await import(process.argv[2]);
/** The same modules with the planning of compactions, which pi does not export. */
const planning = process.argv[3] ? await import(process.argv[3]) : null;
const SETTINGS = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };
let session = null;

const commands = {
  /** Builds the contexts of a file at the given entry indexes (file order, without the header). */
  contexts({ file, leaves }) {
    const entries = pi.parseSessionEntries(readFileSync(file, "utf8"));
    pi.migrateSessionEntries(entries);
    const body = entries.filter((entry) => entry.type !== "session");
    return leaves.map((index) => pi.buildSessionContext(body, body[index].id));
  },
  /** Like `contexts`, but returns a hash of each, because contexts are long. */
  hashes(options) {
    return commands.contexts(options).map(({ messages, thinkingLevel, model }) =>
      createHash("sha256")
        .update(JSON.stringify([messages, thinkingLevel, model]))
        .digest("hex"),
    );
  },
  open({ file }) {
    session = pi.SessionManager.open(file);
    return { entries: session.getEntryCount?.() ?? session.getEntries().length };
  },
  /** Resumes a file: returns its leaf and conversation. */
  resume({ file }) {
    const manager = pi.SessionManager.open(file);
    const { messages, thinkingLevel, model } = manager.buildSessionContext();
    return { leaf: manager.getLeafId(), messages, thinkingLevel, model, name: manager.getSessionName?.() };
  },
  /** Appends a message to a file, after its leaf. */
  goOn({ file, message }) {
    return pi.SessionManager.open(file).appendMessage(message);
  },
  /** Forks a whole file into another folder, and one branch of it. Returns both paths. */
  fork({ file, folder }) {
    const whole = pi.SessionManager.forkFrom(file, folder, folder);
    const manager = pi.SessionManager.open(file, folder);
    const branch = manager.createBranchedSession(manager.getLeafId());
    return { whole: whole.getSessionFile(), branch };
  },
  /** Plans a compaction of the open session, and measures the branch, the plan and its cut point. */
  plan() {
    const start = performance.now();
    const branch = session.getBranch();
    const branchTime = performance.now();
    const plan = planning.prepareCompaction(branch, SETTINGS);
    const planTime = performance.now();
    planning.findCutPoint(branch, 0, branch.length, SETTINGS.keepRecentTokens);
    const cutTime = performance.now();
    return {
      branchMs: branchTime - start,
      planMs: planTime - branchTime,
      cutMs: cutTime - planTime,
      covered: plan?.messagesToSummarize.length ?? 0,
    };
  },
  /** Returns the number of entries that pi would summarize, and the text of each in the summarizer's input. */
  summarizerInput({ entries }) {
    const { firstKeptEntryIndex: covered } = planning.findCutPoint(
      entries,
      0,
      entries.length,
      SETTINGS.keepRecentTokens,
    );
    const coveredMessages = entries.slice(0, covered).map((entry) => (entry.type === "message" ? [entry.message] : []));
    return { covered, texts: coveredMessages.map((messages) => pi.serializeConversation(pi.convertToLlm(messages))) };
  },
  /**
   * Compacts a file with the given texts as the replies of the model. `turn` is the reply to pi's separate request for the
   * beginning of a split turn. Returns what the model reads next: the summary message, and all texts after it.
   */
  async compact({ file, settings, history, turn }) {
    const manager = pi.SessionManager.open(file);
    const preparation = planning.prepareCompaction(manager.getBranch(), settings);
    if (!preparation) throw new Error(`nothing to compact in ${file}`);
    const asksTwice = preparation.isSplitTurn && preparation.messagesToSummarize.length > 0;
    const replies = preparation.isSplitTurn ? [...(asksTwice ? [history] : []), turn] : [[history, turn].join("\n\n")];
    const calls = replies.length;
    const stream = () => ({ result: async () => createReply(replies.shift() ?? "") });
    const noValue = undefined;
    const result = await pi.compact(preparation, { reasoning: false }, "any", noValue, noValue, noValue, "off", stream);
    const { summary, firstKeptEntryId, tokensBefore, details, usage } = result;
    const id = manager.appendCompaction(summary, firstKeptEntryId, tokensBefore, details, false, usage);
    const { messages } = manager.buildSessionContext();
    const index = messages.findIndex(({ role }) => role === "compactionSummary");
    const texts = pi.convertToLlm(messages.slice(index)).map(({ content }) => collectTexts(content));
    return { id, firstKeptEntryId, calls, front: texts[0].join("\n"), tail: texts.slice(1).flat().join("\n") };
  },
  /** Appends a message without building the context. */
  append({ message }) {
    return session.appendMessage(message);
  },
  /** Opens a file and builds its context, as resuming a session does. */
  openContext({ file }) {
    const start = performance.now();
    const manager = pi.SessionManager.open(file);
    const openMs = performance.now() - start;
    const { messages } = manager.buildSessionContext();
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
  const { op, ...options } = JSON.parse(line);
  let answer;
  try {
    answer = { ok: await commands[op](options) };
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

/** All texts of a message, including those of its tool calls. */
function collectTexts(content) {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "toolCall" ? collectStrings(block.arguments) : [block.text ?? ""]));
}

function collectStrings(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(collectStrings) : [];
}
