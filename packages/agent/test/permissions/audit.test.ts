/** Tests audit records of permission decisions, and open questions when the mode changes. */

import type { Redaction } from "@pith/context";
import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/permissions/audit.ts";
import { Permissions, type PermissionsOptions } from "../../src/permissions/permissions.ts";
import type { AskPermission, PermissionQuestion } from "../../src/permissions/question.ts";
import { parseRule, type Rule, type RuleSource } from "../../src/permissions/rules.ts";
import type { Intent } from "../../src/tool.ts";
import {
  act,
  change,
  command,
  connected,
  fetched,
  look,
  permissionPaths,
  realPath,
} from "../support/permission-requests.ts";

const { signal } = new AbortController();
const SECRET = ["hunter", "2", "hunter", "2"].join("");
const redaction = {
  redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "[secret]")),
} as unknown as Redaction;

function sourced(text: string, source: RuleSource): Rule {
  const parsed = parseRule(text, { tools: ["own"], source });
  if (parsed.type === "mistake") throw new Error(parsed.message);
  return parsed.rule;
}

function audited(parts: Partial<PermissionsOptions> = {}) {
  const records: AuditRecord[] = [];
  const permissions = new Permissions({
    ...{ mode: "ask", paths: permissionPaths, resolveRealPath: realPath, redaction, ...parts },
    audit: (record) => void records.push(record),
  });
  const permit = (intent: Intent | null) => permissions.permit(act(intent), { signal });
  return { permissions, records, permit };
}

/** PAUD5: every decision has its whole action. */
function withoutAction(record: AuditRecord): object {
  if (record.event !== "decision") return record;
  const { action, ...rest } = record;
  expect(action).toEqual({});
  return rest;
}

describe("PAUD2 each decision is recorded with its reason, the rule and its source", () => {
  test("by the mode, by a rule, by the program, and without a user", async () => {
    const allow = [
      sourced("bash(npm test)", "project"),
      sourced("bash(ls:*)", "session"),
      sourced("fetch(a.com)", "policy"),
    ];
    const deny = [sourced("bash(rm:*)", "flag")];
    const { records, permit } = audited({ rules: { allow, deny } });
    await permit(look(`${permissionPaths.root}/a.ts`));
    await permit(command("npm test"));
    await permit(command("ls && npm test"));
    await permit(command("rm x"));
    await permit(fetched("https://user:pass@a.com/page?token=abc"));
    await permit(look(`${permissionPaths.home}/.pith/keys.json`));
    await permit(command("make"));
    await permit(connected("example.com"));
    const mode = "ask";
    const decision = { event: "decision", mode };
    expect(records.map(withoutAction)).toEqual([
      { ...decision, tool: "read", what: `${permissionPaths.root}/a.ts`, decision: "permitted", by: "mode" },
      {
        ...{ ...decision, tool: "bash", what: "npm test", decision: "permitted", by: "rule" },
        rules: [{ text: "bash(npm test)", source: "project" }],
      },
      {
        ...{ ...decision, tool: "bash", what: "ls && npm test", decision: "permitted", by: "rule" },
        rules: [
          { text: "bash(npm test)", source: "project" },
          { text: "bash(ls:*)", source: "session" },
        ],
      },
      {
        ...{ ...decision, tool: "bash", what: "rm x", decision: "refused", by: "rule" },
        rules: [{ text: "bash(rm:*)", source: "flag" }],
      },
      {
        ...{ ...decision, tool: "fetch", what: "https://a.com/page", decision: "permitted", by: "rule" },
        rules: [{ text: "fetch(a.com)", source: "policy" }],
      },
      {
        ...decision,
        tool: "read",
        what: `${permissionPaths.home}/.pith/keys.json`,
        decision: "refused",
        by: "program",
      },
      { ...decision, tool: "bash", what: "make", decision: "refused", by: "unattended", because: "mode" },
      { ...decision, tool: "bash", what: "example.com:443", decision: "refused", by: "unattended", because: "mode" },
    ]);
  });

  test("by the user, with the new rules and the changes of the mode", async () => {
    const answers: Awaited<ReturnType<AskPermission>>[] = [];
    const { records, permit, permissions } = audited({ ask: async () => answers.shift() ?? { type: "no" } });
    const rule = sourced("bash(make)", "session");
    answers.push({ type: "yes" }, { type: "no" }, { type: "yes", remember: { rule, for: "project" } });
    await permit(command("make"));
    await permit(command("make"));
    await permit(command("make"));
    await permit(command("make"));
    permissions.setMode("edit");
    permissions.setMode("edit");
    const decision = { event: "decision", tool: "bash", what: "make", mode: "ask" };
    expect(records.map(withoutAction)).toEqual([
      { ...decision, decision: "permitted", by: "user", because: "mode" },
      { ...decision, decision: "refused", by: "user", because: "mode" },
      { event: "grant", rule: "bash(make)", for: "project", mode: "ask" },
      { ...decision, decision: "permitted", by: "user", because: "mode" },
      { ...decision, decision: "permitted", by: "rule", rules: [{ text: "bash(make)", source: "project" }] },
      { event: "mode", from: "ask", to: "edit" },
    ]);
  });

  test("by Yes to a host for the session, as a grant, and by an ask rule, with that rule", async () => {
    const ask = [sourced("bash(git push:*)", "policy")];
    const { records, permit } = audited({ ask: async () => ({ type: "yes" }), rules: { ask } });
    await permit(connected("example.com"));
    await permit(command("git push"));
    expect(records[0]).toEqual({ event: "grant", rule: "network(example.com)", for: "session", mode: "ask" });
    expect(records.at(-1)).toMatchObject({ because: "rule", rules: [{ text: "bash(git push:*)", source: "policy" }] });
  });

  test("by a cancelled question, once", async () => {
    const stopping = new AbortController();
    const { records, permissions } = audited({ ask: () => new Promise(() => {}) });
    const pending = permissions.permit(act(command("make")), stopping);
    setTimeout(() => stopping.abort(), 5);
    await pending;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(records).toEqual([expect.objectContaining({ by: "stopped", decision: "refused" })]);
  });

  test("but isAllowed records no decision", async () => {
    const { records, permissions } = audited({ ask: async () => ({ type: "yes" }) });
    expect(await permissions.isAllowed(act(look(`${permissionPaths.root}/a.ts`)))).toBe(true);
    expect(await permissions.isAllowed(act(look(`${permissionPaths.home}/.ssh/id`)))).toBe(false);
    expect(records).toEqual([]);
  });
});

test("PAUD3 records contain no secret, not even a part of one or one in a rule; without redaction they have only names", async () => {
  const allow = [sourced(`bash(login ${SECRET})`, "flag")];
  const { records, permit } = audited({ rules: { allow } });
  await permit(command(`login ${SECRET}`));
  await permit(command(`${"x".repeat(495)} ${SECRET}`));
  expect(JSON.stringify(records)).not.toContain(SECRET.slice(0, 4));
  const bare = new Permissions({
    mode: "ask",
    paths: permissionPaths,
    resolveRealPath: realPath,
    audit: (record) => void records.push(record),
  });
  await bare.permit(act(command(`PGPASSWORD=${SECRET} psql`)), { signal });
  await bare.permit(act(command(`login ${SECRET}`)), { signal });
  await bare.permit(act(fetched(`https://a.com/${SECRET}`)), { signal });
  expect(JSON.stringify(records)).not.toContain(SECRET.slice(0, 4));
  expect(records.at(-1)).toMatchObject({ what: "a.com" });
});

describe("PERM38 a change of the mode answers an open question if the new mode decides it", () => {
  function waiting() {
    const questions: { readonly question: PermissionQuestion; readonly signal: AbortSignal }[] = [];
    const ask: AskPermission = (question, asking) => {
      questions.push({ question, ...asking });
      return new Promise(() => {});
    };
    return { questions, ...audited({ ask }) };
  }

  test.each([
    ["edit", "permitted"],
    ["plan", "refused"],
  ] as const)("to %s: the call is %s and the question is withdrawn", async (mode, outcome) => {
    const { questions, permissions, permit, records } = waiting();
    const pending = permit(change(`${permissionPaths.root}/a.ts`));
    await new Promise((resolve) => setTimeout(resolve, 5));
    permissions.setMode(mode);
    expect((await pending).type).toBe(outcome);
    expect(questions[0]?.signal.aborted).toBe(true);
    expect(records.at(-1)).toMatchObject({ by: "mode", decision: outcome, mode });
  });

  test("the question stays if the new mode asks too", async () => {
    const { questions, permissions, permit } = waiting();
    void permit(command("make"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    permissions.setMode("edit");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(questions.map(({ signal: asking }) => asking.aborted)).toEqual([false]);
  });

  test("the question of an ask rule stays in any mode", async () => {
    const ask = [sourced("edit(a.ts)", "policy")];
    const questions: PermissionQuestion[] = [];
    const { permissions, permit } = audited({
      rules: { ask },
      ask: (question) => {
        questions.push(question);
        return new Promise(() => {});
      },
    });
    let isSettled = false;
    void permit(change(`${permissionPaths.root}/a.ts`)).then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    permissions.setMode("all");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isSettled).toBe(false);
  });
});
