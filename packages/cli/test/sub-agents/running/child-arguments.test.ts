/** How a sub-agent is held by what holds its caller. */

import assert from "node:assert/strict";
import { Permissions, parseRule } from "@pith/agent";
import { test } from "vitest";
import type { Held } from "../../../src/sub-agents/held.ts";
import { childArguments, toolsLeft } from "../../../src/sub-agents/running/child-arguments.ts";

const agent = { name: "scout", description: "d", text: "t", path: "/scout.md" };
const speaker = { api: "anthropic-messages", provider: "anthropic", model: "one" } as const;

function held(more: Partial<Held> = {}): Held {
  const rule = (text: string) => {
    const parsed = parseRule(text);
    if (parsed.type === "mistake") throw new Error(parsed.message);
    return parsed.rule;
  };
  const permissions = new Permissions({
    mode: "ask",
    rules: { allow: [rule("bash(npm test)")], deny: [rule("bash(git push)")] },
    ground: { root: "/w", home: "/h", temporary: [], keys: [], own: [] },
    realPath: async (path) => path,
  });
  return {
    trusts: true,
    choices: { sandbox: "off", network: "off", baseUrl: "http://127.0.0.1:1" },
    permissions,
    addressee: "anthropic/one",
    ...more,
  };
}

const flagsOf = (by: Held, of = agent): readonly string[] => {
  const all = childArguments({ agent: of, sessionPath: "/s.jsonl", held: by, speaker });
  return all.slice(all.indexOf("--mode"));
};

test("AGT4 mode, rules, sandbox, network and trust are its caller's, as they are at that moment", () => {
  const by = held();
  assert.deepEqual(flagsOf(by), [
    ...["--mode", "rpc", "--agent", "scout", "--session", "/s.jsonl"],
    ...["--model=anthropic/one", "--base-url=http://127.0.0.1:1"],
    ...["--permission-mode=ask", "--allow=bash(npm test)", "--deny=bash(git push)"],
    ...["--sandbox=off", "--network=off", "--trust"],
  ]);
  by.permissions?.setMode("plan");
  assert.ok(flagsOf(by).includes("--permission-mode=plan"));
});

test("AGT4 no key is sent to an address that is for another seller", () => {
  const flags = flagsOf(held(), { ...agent, model: "openai/two" } as typeof agent);
  assert.ok(!flags.some((flag) => /^--(model|base-url)/.test(flag)));
  const flagsBeside = flagsOf(held({ addressee: "openai" }));
  assert.ok(flagsBeside.includes("--model=anthropic/one"));
  assert.ok(!flagsBeside.some((flag) => flag.startsWith("--base-url")), "who speaks now is another");
});

test("AGT4 it has no tool that was not named where its caller's were", () => {
  const left = (named: readonly string[] | undefined, tools?: readonly string[]) =>
    toolsLeft({ ...agent, ...(tools && { tools }) }, held({ choices: named ? { tools: named } : {} }));
  assert.equal(left(undefined, ["bash"]), undefined);
  assert.equal(left(["all"], ["bash"]), undefined);
  assert.deepEqual(left(["read", "subagent"], ["read", "bash"]), ["read"]);
  assert.deepEqual(left(["read", "subagent"]), ["read"]);
  assert.deepEqual(left(["subagent"], ["bash"]), []);
});
