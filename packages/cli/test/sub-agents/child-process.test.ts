/** Tests sub-agents/child-process.ts: child arguments, run child. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ExtensionContext,
  type ExtensionUi,
  headlessUi,
  Permissions,
  parseRule,
  type UiPromptOptions,
} from "@pith/agent";
import type { RpcEvent } from "@pith/client";
import { afterAll, describe, test } from "vitest";
import {
  buildChildArguments,
  type ChildEnd,
  forwardQuestion,
  restrictTools,
  runChild,
} from "../../src/sub-agents/child-process.ts";
import { initialProgress, type Progress, updateProgress } from "../../src/sub-agents/result.ts";
import type { ParentLimits } from "../../src/sub-agents/sub-agent-options.ts";
import { type FakeProgram, writeFakeProgram } from "./fake-program.ts";

describe("child arguments", () => {
  const agent = { name: "scout", description: "d", text: "t", path: "/scout.md" };
  const speaker = { api: "anthropic-messages", provider: "anthropic", model: "one" } as const;

  function held(more: Partial<ParentLimits> = {}): ParentLimits {
    const rule = (text: string) => {
      const parsed = parseRule(text);
      if (parsed.type === "mistake") throw new Error(parsed.message);
      return parsed.rule;
    };
    const permissions = new Permissions({
      mode: "ask",
      rules: { allow: [rule("bash(npm test)")], deny: [rule("bash(git push)")] },
      paths: { root: "/w", home: "/h", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
      resolveRealPath: async (path) => path,
    });
    return {
      trustedHash: null,
      costLimit: null,
      overrides: { sandbox: "off", network: "off", baseUrl: "http://127.0.0.1:1" },
      permissions,
      baseUrlOwner: "anthropic/one",
      ...more,
    };
  }

  const flagsOf = (by: ParentLimits, of = agent): readonly string[] => {
    const all = buildChildArguments({ agent: of, sessionPath: "/s.jsonl", parentLimits: by, parentModel: speaker });
    return all.slice(all.indexOf("--mode"));
  };

  test("AGT4 a sub-agent gets the current mode, rules, sandbox, network and trust of its parent", () => {
    const by = held();
    assert.deepEqual(flagsOf(by), [
      ...["--mode", "rpc", "--agent", "scout", "--session", "/s.jsonl"],
      ...["--model=anthropic/one", "--base-url=http://127.0.0.1:1"],
      ...["--permission-mode=ask", "--allow=bash(npm test)", "--deny=bash(git push)"],
      ...["--sandbox=off", "--network=off"],
    ]);
    by.permissions?.setMode("plan");
    assert.ok(flagsOf(by).includes("--permission-mode=plan"));
  });

  test("AGT4 the parent's model and base URL are not passed on if the agent has another provider", () => {
    const flags = flagsOf(held(), { ...agent, model: "openai/two" } as typeof agent);
    assert.ok(!flags.some((flag) => /^--(model|base-url)/.test(flag)));
    const flagsBeside = flagsOf(held({ baseUrlOwner: "openai" }));
    assert.ok(flagsBeside.includes("--model=anthropic/one"));
    assert.ok(!flagsBeside.some((flag) => flag.startsWith("--base-url")), "who speaks now is another");
  });

  test("AGT4 a sub-agent has only tools that its parent has too", () => {
    const left = (named: readonly string[] | undefined, tools?: readonly string[]) =>
      restrictTools({ ...agent, ...(tools && { tools }) }, held({ overrides: named ? { tools: named } : {} }));
    assert.equal(left(undefined, ["bash"]), undefined);
    assert.equal(left(["all"], ["bash"]), undefined);
    assert.deepEqual(left(["read", "subagent"], ["read", "bash"]), ["read"]);
    assert.deepEqual(left(["read", "subagent"]), ["read"]);
    assert.deepEqual(left(["subagent"], ["bash"]), []);
  });
});

describe("run child", () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-child-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const there = (ui: Partial<ExtensionUi> | null): ExtensionContext =>
    ({ ui: { ...headlessUi, ...ui }, hasUI: ui !== null }) as ExtensionContext;

  async function run(
    program: FakeProgram,
    more: { ui?: Partial<ExtensionUi>; signal?: AbortSignal } = {},
  ): Promise<ChildEnd & { readonly progress: Progress }> {
    let progress = initialProgress;
    const listen = (event: RpcEvent): void => {
      progress = updateProgress(progress, event);
    };
    const { ui = null, signal = new AbortController().signal } = more;
    const parts = {
      args: [writeFakeProgram(folder, program)],
      cwd: folder,
      task: "Go.",
      agentName: "scout",
      parentLimits: { trustedHash: null, costLimit: null },
    };
    return { ...(await runChild({ ...parts, context: there(ui), signal, onEvent: listen })), progress };
  }

  test("AGT6 malformed output of a sub-agent's process is ignored", async () => {
    const junk =
      '"junk", "{", "null", "[1]", { type: "message_end" }, { type: "message_end", message: { role: "assistant" } }';
    const more = '{ type: "tool_execution_start" }, { type: "extension_ui_request" }, "x".repeat(1e6)';
    const onCommand = `for (const line of [${junk}, ${more}]) say(line); answered(); say({ type: "agent_settled" });`;
    const { type, progress } = await run({ name: "junk", onCommand });
    assert.deepEqual([type, progress.usage.totalTokens], ["settled", 0]);
  });

  test("AGT6 a sub-agent that exits during its question has failed, and the question is withdrawn", async () => {
    const question =
      '{ type: "extension_ui_request", id: "1", method: "select", title: "May I?", options: ["Yes"], timeout: 9000 }';
    const onCommand = `say(${question}); answered(); setTimeout(() => { console.error("no more"); process.exit(3); }, 50);`;
    const promptOptions: (UiPromptOptions | undefined)[] = [];
    const select: ExtensionUi["select"] = (_title, _options, asking) => {
      promptOptions.push(asking);
      return new Promise((resolve) => asking?.signal?.addEventListener("abort", () => resolve(undefined)));
    };
    const end = await run({ name: "asks", onCommand }, { ui: { select } });
    assert.ok(end.type === "failed" && end.why === "exited with code 3: no more");
    assert.deepEqual(
      [promptOptions.length, promptOptions[0]?.timeout, promptOptions[0]?.signal?.aborted],
      [1, 9000, true],
    );
  });

  test("AGT6 a sub-agent whose run failed has failed with the same reason", async () => {
    const end = '{ type: "agent_end", messages: [], end: { type: "failed", why: "the key was refused" } }';
    const onCommand = `answered(); say(${end}); say({ type: "agent_settled", aborted: false });`;
    const { type, ...rest } = await run({ name: "fails", onCommand });
    assert.deepEqual([type, Object(rest).why], ["failed", "the key was refused"]);
  });

  test("AGT13 a sub-agent that ignores SIGTERM is killed", async () => {
    const stopping = new AbortController();
    const first = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
    const running = run({ name: "deaf", first, onCommand: "answered();" }, { signal: stopping.signal });
    setTimeout(() => stopping.abort(), 300);
    assert.equal((await running).type, "stopped");
  });

  test("AGT4 without a user the question of a sub-agent is cancelled, and a notification gets no response", async () => {
    const signal = new AbortController().signal;
    const confirmRequest = {
      type: "extension_ui_request",
      id: "1",
      method: "confirm",
      title: "May I?",
      message: "",
    } as const;
    const answer = await forwardQuestion(confirmRequest, { context: there(null), agentName: "scout", signal });
    assert.deepEqual(answer, { type: "extension_ui_response", id: "1", cancelled: true });
    const failing = there({ confirm: () => Promise.reject(new Error("no")) });
    assert.deepEqual(await forwardQuestion(confirmRequest, { context: failing, agentName: "scout", signal }), answer);
    const notifyRequest = {
      type: "extension_ui_request",
      id: "2",
      method: "notify",
      message: "m",
      notifyType: "info",
    } as const;
    assert.equal(await forwardQuestion(notifyRequest, { context: there({}), agentName: "scout", signal }), null);
  });
});
