/** Notes for people: what each event is told as. */

import type { AgentEvent, Intent, Tool } from "@pith/agent";
import { expect, test } from "vitest";
import { noteOn } from "../../src/printing/note-on.ts";

test("PRT9 before every command stands whether it runs in the sandbox", () => {
  const bash = (isConfined: boolean) => tool("bash", { type: "command", command: "ls", isConfined });
  const start = started("bash", { command: "ls\n  -l" });
  expect(noteOn(start, [bash(true)])).toBe("· bash [sandbox] ls -l");
  expect(noteOn(start, [bash(false)])).toBe("· bash [no sandbox] ls -l");
  expect(noteOn(started("read", { path: "a.ts", limit: 3 }), [tool("read", { type: "look", paths: [] })])).toBe(
    "· read a.ts 3",
  );
});

test("PRT9 a row is one short line, and no character of it is cut in two", () => {
  const note = noteOn(started("write", { path: "a", text: "👩".repeat(1_000) }), []) ?? "";
  expect(Array.from(note).length).toBeLessThan(180);
  expect(note.isWellFormed()).toBe(true);
  expect(note).toMatch(/👩…$/);
});

test("PRT9 what failed or was refused is told, with its reason", () => {
  const content = [{ type: "text", text: "not permitted:\nnobody is here to ask" }] as const;
  const result = {
    role: "toolResult",
    toolCallId: "1",
    toolName: "bash",
    content,
    isError: true,
    timestamp: 0,
  } as const;
  const end: AgentEvent = { ...started("bash", {}), type: "tool_execution_end", result, isError: true };
  expect(noteOn(end, [])).toBe("  bash failed: not permitted: nobody is here to ask");
  expect(noteOn({ ...end, isError: false }, [])).toBeNull();
});

test("PRT9 waiting and compacting are told, with before and after", () => {
  const retry = { type: "auto_retry_start", attempt: 1, delayMs: 1_200, errorMessage: "overloaded" } as const;
  expect(noteOn(retry as AgentEvent, [])).toBe("· overloaded; asking again in 2 s");
  expect(noteOn({ type: "compaction_start", reason: "threshold" }, [])).toBe("· compacting: the context is full");
  const receipt = { tokens: { before: 90_000, after: 12_000, limit: null }, by: null };
  const compaction = { type: "compacted", id: "c", receipt };
  const ended = { type: "compaction_end", reason: "threshold", aborted: false, willRetry: false };
  expect(noteOn({ ...ended, compaction } as AgentEvent, [])).toBe("  90000 → 12000 tokens, told by code");
  const failed = { ...ended, compaction: { type: "failed" }, errorMessage: "the pins alone are too much" };
  expect(noteOn(failed as AgentEvent, [])).toBe("  the pins alone are too much");
});

function started(toolName: string, args: Readonly<Record<string, unknown>>) {
  return { type: "tool_execution_start", toolCallId: "1", toolName, args } as const;
}

function tool(name: string, intent: Intent): Tool {
  const run = async () => ({ content: [] });
  return { name, description: "", parameters: {}, isIdempotent: true, intent: () => intent, run };
}
