/** Serves the built `@pith/context` over a line protocol: one JSON command in, one JSON answer out. Argument: package folder. */

import { readFileSync } from "node:fs";
import { importBuilt } from "../import-built.mjs";

const [, , home] = process.argv;
const context = await importBuilt(home, ".");
const { measureInSteps } = await importBuilt(home, "./host");
const { nodeRuntime, openStore } = await importBuilt(home, "./node");
const budget = context.createBudget(context.compactionLimits, { contextWindow: 200_000 });
/** Sessions by the name they were opened under. */
const sessions = new Map();

const commands = {
  /** All of it in memory, as pi has it. */
  async open({ name, file }) {
    sessions.set(
      name,
      await context.Session.open(context.MemoryStore.open(readFileSync(file), nodeRuntime), nodeRuntime),
    );
    return {};
  },
  /** From its file, as the agent does; the store stays open until this process ends. */
  async openFile({ name, file }) {
    const { store } = await openStore(file, { mode: "follower" });
    sessions.set(name, await context.Session.open(store, nodeRuntime));
    return {};
  },
  async append({ name, message }) {
    await sessions.get(name).append({ type: "message", message });
    return {};
  },
  /** Measures the entries in steps, as the agent does while it waits: how long all of it and the longest step took. */
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
  /** What a running agent asks before every request. */
  meter({ name }) {
    const start = performance.now();
    context.contextSize(sessions.get(name).branch, budget);
    return { ms: performance.now() - start };
  },
  plan({ name }) {
    const start = performance.now();
    const prepared = context.prepareCompaction(sessions.get(name).branch, budget);
    const ms = performance.now() - start;
    return { ms, covered: prepared.type === "planned" ? prepared.plan.covered.length : 0 };
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
