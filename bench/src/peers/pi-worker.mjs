/** pi's own library behind a line protocol: one JSON command in, one JSON answer out. Runs without network. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const pi = await import(process.argv[2]);
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
    answer = { ok: commands[op](parts) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
