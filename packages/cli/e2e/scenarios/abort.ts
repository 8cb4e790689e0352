/** Esc at ten points of the work: it stops at once, nothing begins afterwards, and the next words are answered. */

import type { ScriptRequest, Step } from "@pith/testkit";
import { expectThat, type Scenario } from "../scenario.ts";
import { call, SUMMARY } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";
import type { Tmux } from "../support/tmux.ts";

/** What the model does when it is told to, and what is seen when it is time to stop. */
const points: Readonly<Record<string, { readonly does: Step; readonly sign: string | RegExp }>> = {
  "before the first byte": {
    does: { parts: [{ type: "text", text: "late" }], pace: { waitMs: 600_000 } },
    sign: " s · Esc stop",
  },
  "before the first event": {
    does: { parts: [{ type: "text", text: "late" }], breaks: { how: "stall", after: 0 } },
    sign: " s · Esc stop",
  },
  "in a thought": { does: slowly("thinking"), sign: /thinking|thought/ },
  "in an answer": { does: slowly("text"), sign: "slowly slowly" },
  "after half an answer": {
    does: { parts: [{ type: "text", text: "half an answer" }], pace: { chunk: 7 }, breaks: { how: "stall", after: 5 } },
    sign: "half an",
  },
  "while a call is written": {
    does: {
      parts: [{ type: "call", name: "bash", arguments: { command: `echo ${"x".repeat(900)}` } }],
      pace: { everyMs: 400, chunk: 10 },
    },
    sign: /bash/,
  },
  "in a command": { does: call("bash", { command: "echo begun; sleep 600" }), sign: "begun" },
  "in a command that does not listen": {
    does: call("bash", { command: "trap '' TERM INT; echo deaf; while true; do sleep 1; done" }),
    sign: "deaf",
  },
  "in the wait before a retry": {
    does: { refuse: { status: 529, message: "Overloaded", headers: { "retry-after": "50" } } },
    sign: /retr|again|Overloaded/i,
  },
  "in a second round": { does: slowly("text"), sign: "slowly slowly" },
};

function slowly(type: "text" | "thinking"): Step {
  return {
    parts: [
      { type, text: "slowly ".repeat(400) },
      ...(type === "thinking" ? [{ type: "text", text: "." } as const] : []),
    ],
    pace: { everyMs: 50, chunk: 14 },
  };
}

export const abort: Scenario = {
  name: "abort",
  says: "Esc stops the work at ten points, nothing begins afterwards, and the next words are answered",
  run: async (keep) => {
    let doing = "";
    const script = ({ text, tools, resultCount }: ScriptRequest): Step => {
      if (tools.length === 0) return SUMMARY;
      if (!text.includes("Begin")) return `Answered: ${text.slice(-12)}`;
      if (doing === "in a second round" && resultCount === 0) return call("bash", { command: "echo first round" });
      return points[doing]?.does ?? "";
    };
    const workspace = await keep(TestWorkspace.create({ script, columns: 100, rows: 30 }));
    const terminal = await workspace.startProgram("--permission-mode all");
    let slowest = 0;
    for (const [at, [point, { sign }]] of Object.entries(points).entries()) {
      doing = point;
      await terminal.enter(`Begin ${at}`);
      await terminal.waitFor(" s · Esc stop");
      await terminal.waitFor(sign);
      slowest = Math.max(slowest, await stopped(terminal, workspace, point));
      await terminal.press("C-c");
      await terminal.enter(`Hello ${at}`);
      await terminal.waitFor(`Answered: Hello ${at}`);
      await terminal.waitUntilGone(" s · Esc stop");
    }
    return `ten points, the slowest within ${slowest} ms`;
  },
};

/** In milliseconds, as seen from outside. */
async function stopped(terminal: Tmux, workspace: TestWorkspace, point: string): Promise<number> {
  const start = Date.now();
  await terminal.press("Escape");
  await terminal.waitUntilGone(" s · Esc stop");
  const took = Date.now() - start;
  const requestCount = workspace.server.requests.length;
  await terminal.waitFor(/Stopped|interrupted|claude/);
  expectThat(workspace.server.requests.length === requestCount, `${point}: the model was asked again`);
  return took;
}
