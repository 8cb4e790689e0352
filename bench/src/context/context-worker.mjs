/** Serves the built `@pith/context` over a line protocol: one JSON command in, one JSON response out. Argument: package folder. */

import { readFileSync } from "node:fs";
import { importBuilt } from "../import-built.mjs";

const [, , packageFolder] = process.argv;
const context = await importBuilt(packageFolder, ".");
const { measureInSteps } = await importBuilt(packageFolder, "./host");
const { nodeRuntime, openStore } = await importBuilt(packageFolder, "./node");
const budget = context.createBudget(context.compactionLimits, { contextWindow: 200_000 });
const sessions = new Map();

const commands = {
  /** Opens a session with all entries in memory, as pi does. */
  async open({ name, file }) {
    sessions.set(
      name,
      await context.Session.open(context.MemoryStore.open(readFileSync(file), nodeRuntime), nodeRuntime),
    );
    return {};
  },
  /** Opens a session from its file, as the agent does. The store stays open until the process ends. */
  async openFile({ name, file }) {
    const { store } = await openStore(file, { mode: "follower" });
    sessions.set(name, await context.Session.open(store, nodeRuntime));
    return {};
  },
  async append({ name, message }) {
    await sessions.get(name).append({ type: "message", message });
    return {};
  },
  /** Measures the entries in steps, as the agent does while it waits. Returns the time of the longest step and of all steps. */
  async measure({ name }) {
    let longest = 0;
    let total = 0;
    const steps = measureInSteps(sessions.get(name).branch);
    for (let done = false; !done; ) {
      const start = performance.now();
      done = steps.next().done;
      const ms = performance.now() - start;
      longest = Math.max(longest, ms);
      total += ms;
    }
    return { longest, total };
  },
  /** Computes the context size, as the agent does before every request. */
  meter({ name }) {
    const start = performance.now();
    context.contextSize(sessions.get(name).branch, budget);
    return { ms: performance.now() - start };
  },
  plan({ name }) {
    const start = performance.now();
    const preparation = context.prepareCompaction(sessions.get(name).branch, budget);
    const ms = performance.now() - start;
    return { ms, covered: preparation.type === "planned" ? preparation.plan.covered.length : 0 };
  },
  /** One step of an agent: appends a message, builds the context, converts it for a provider. */
  async step({ name, message }) {
    const session = sessions.get(name);
    const start = performance.now();
    await session.append({ type: "message", message });
    const appended = performance.now();
    const { messages } = context.buildSessionContext(session.branch);
    const built = performance.now();
    const sent = context.convertToLlm(messages).length;
    const converted = performance.now();
    return { appendMs: appended - start, buildMs: built - appended, convertMs: converted - built, messages: sent };
  },
};

let rest = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = `${rest}${chunk}`.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { op, ...parts } = JSON.parse(line);
    const answer = await Promise.resolve(commands[op](parts)).then(
      (ok) => ({ ok }),
      (error) => ({ error: String(error) }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
