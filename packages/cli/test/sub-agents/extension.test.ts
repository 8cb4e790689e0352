/** Sub-agents as real processes: side by side, one after the other, and one of them killed. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { callSubAgent, countIn, NO_SANDBOX, SubAgentProgram, taskOf, tasks } from "./sub-agent-program.ts";

let program: SubAgentProgram;
beforeEach(() => {
  program = new SubAgentProgram();
});
afterEach(() => program.remove());

const secret = ["ghp", "Zx81kQ0vB5tY7wLm2nP9rS4dF6gH3jK0cV1b"].join("_");
const write = { type: "call", name: "write", arguments: { path: "made.txt", content: "made" } } as const;

test("AGT6 AGT7 AGT15 of eight parallel sub-agents, four at a time and one killed, and of a chain, each result is reported once and each session saved", async () => {
  // AGT4: the agent would have bash, too.
  writeFileSync(join(program.home, "settings.json"), '{ "tools": ["read", "write", "subagent"] }');
  const four = Promise.withResolvers<void>();
  const chained: string[] = [];
  let [most, childRequests, turns] = [0, 0, 0];
  const variables = await program.serveAgents({
    parent: ({ body }) => {
      turns += 1;
      if (turns === 1) return callSubAgent({ tasks: tasks(8) });
      const placeholder = /Go with (\S+?)\./.exec(JSON.stringify(body))?.[1] ?? "";
      const chain = [`/help with ${placeholder}`, "Use <{previous}>."].map((task) => ({ agent: "scout", task }));
      return turns === 2 ? callSubAgent({ chain }) : "All told.";
    },
    child: async ({ text, tools, resultCount, body }) => {
      const task = taskOf(text);
      if (task === "") {
        chained.push(`${tools.join()} ${text}`);
        assert.ok(JSON.stringify(body.system).includes("You are a scout."), "AGT12");
        if (text.startsWith("/help") && resultCount === 0) return { parts: [write] };
        return text.startsWith("/help") ? "$& {previous} A" : "The end.";
      }
      most = Math.max(most, program.children().length);
      if (++childRequests === 4) four.resolve();
      await four.promise;
      if (task === "Task 2.") for (const pid of program.children(task)) process.kill(pid, "SIGKILL");
      return `Done with ${task}`;
    },
  });
  const { code, out, notes } = await program.run(
    ["-p", ...NO_SANDBOX, "--permission-mode", "ask", `Go with ${secret}.`],
    {
      variables,
    },
  );
  assert.deepEqual({ code, out }, { code: 0, out: "All told.\n" }, notes);
  assert.equal(most, 4);
  const body = JSON.stringify(program.lastRequestBody());
  const lost = program.started().find(({ task }) => task === "Task 2.");
  for (const at of [0, 1, 3, 4, 5, 6, 7]) assert.equal(countIn(body, `Done with Task ${at}.`), 1);
  assert.ok(!body.includes("Done with Task 2."));
  assert.ok(body.includes(`[scout ${lost?.id} failed: was killed by SIGKILL]`), body);
  assert.ok(body.includes(`pith --session ${lost?.id} --agent scout`));
  // AGT7: word for word, no command, none of its own, and no more tools than its caller.
  const [first = "", again = "", second = ""] = chained;
  assert.match(first, /^read,write \/help with \S{10,}$/);
  assert.deepEqual([again, second], [first, "read,write Use <$& {previous} A>."]);
  assert.equal(countIn(body, "The end."), 1);
  assert.ok(!body.includes("{previous} A"), "only the last words of the last come back");
  // AGT4: nobody is there to say yes.
  assert.equal(existsSync(join(program.folder, "made.txt")), false);
  // AGT10: what nine cost is the session's, each once.
  const paid = program.parent().filter(({ type, kind }) => type === "usage" && kind === "subagent");
  assert.deepEqual([paid.length, new Set(paid.map(({ note }) => note)).size], [9, 9]);
  const linked = [...program.sessions()].filter(([name]) => name.includes("-subagent."));
  assert.equal(linked.length, 10);
  for (const [name, [header]] of linked) {
    assert.ok(String(header?.parentSession).endsWith(".jsonl"));
    assert.ok(!readFileSync(join(program.home, "sessions", name), "utf8").includes(secret), name);
  }
});
