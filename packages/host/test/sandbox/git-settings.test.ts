/** Settings of a repository that commands change, as the permissions decide about them. */

import {
  type PermissionAnswer,
  type PermissionMode,
  type PermissionQuestion,
  Permissions,
  type PermissionsOptions,
  parseRule,
  type Rule,
} from "@pith/agent";
import type { GitSettingChange } from "@pith/agent/node";
import { expect, test } from "vitest";
import { createGitSettingsCheck } from "../../src/sandbox/git-settings.ts";

const { signal } = new AbortController();
const HOOKS: GitSettingChange = { key: "core.hookspath", value: ".husky/_", type: "set" };

function rule(text: string): Rule {
  const parsed = parseRule(text, { tools: [] });
  if (parsed.type !== "rule") throw new Error(text);
  return parsed.rule;
}

function scene(answers: readonly PermissionAnswer[] | null, options: Partial<PermissionsOptions> = {}) {
  const questions: PermissionQuestion[] = [];
  const left = [...(answers ?? [])];
  const permissions = new Permissions({
    mode: "edit",
    paths: {
      ...{ root: "/work", home: "/home/ann", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
      hasSandbox: true,
    },
    resolveRealPath: async (path) => path,
    ...(answers && {
      ask: async (question) => {
        questions.push(question);
        return left.shift() ?? { type: "no" };
      },
    }),
    ...options,
  });
  const permit = createGitSettingsCheck(permissions);
  const change = (changes: readonly GitSettingChange[] = [HOOKS]) =>
    permit({ file: "/work/.git/config", changes, command: "npx husky" }, { signal });
  return { permissions, permit, change, questions };
}

test.each<PermissionMode>(["ask", "edit", "all"])(
  "BOX47 in mode %s the question names the command, the setting, the file and what git does",
  async (mode) => {
    const { change, questions } = scene([{ type: "yes" }, { type: "no", word: "why?" }], { mode });
    expect(await change()).toEqual({ type: "allowed" });
    expect(await change()).toEqual({ type: "refused", why: "the user did not permit it: why?" });
    expect(questions[0]).toMatchObject({
      tool: "edit",
      text: "Allow `npx husky` to set core.hookspath = .husky/_ in .git/config? Git runs the programs in that folder.",
      rules: [{ text: "edit(.git/config)" }],
    });
  },
);

test("BOX47 a question lists all settings, also removed ones, with control characters escaped", async () => {
  const { change, questions } = scene([]);
  await change([
    { key: "alias.x", value: "!a\u202e\nb", type: "set" },
    { key: "core.pager", value: null, type: "removed" },
  ]);
  expect(questions[0]?.text).toBe(
    "Allow `npx husky` to set alias.x = !a\\u{202e}\\nb and to remove core.pager in .git/config? Git can run a program because of it.",
  );
});

test("BOX47 plan mode and a deny rule refuse the setting", async () => {
  const plan = scene([], { mode: "plan" });
  expect(await plan.change()).toMatchObject({ type: "refused", why: expect.stringContaining("plan mode") });
  const denied = scene([], { rules: { deny: [rule("edit(.git/**)")] } });
  expect(await denied.change()).toMatchObject({ type: "refused", why: expect.stringContaining("edit(.git/**)") });
  expect([...plan.questions, ...denied.questions]).toEqual([]);
});

test("BOX47 without a user, the refusal names the rule that would allow it, and the rule allows it", async () => {
  expect(await scene(null).change()).toEqual({
    type: "refused",
    why: "not permitted: no user is available to ask. To allow it, use --allow 'edit(.git/config)'",
  });
  const { change } = scene(null, { rules: { allow: [rule("edit(.git/config)")] } });
  expect(await change()).toEqual({ type: "allowed" });
});

test.each([
  ["git config core.pager 'less -F' && git log", { key: "core.pager", value: "less -F", type: "set" }, 1],
  ["git remote add origin /srv/a.git && git push", { key: "remote.origin.url", value: "/srv/a.git", type: "set" }, 1],
  ["git remote add origin /srv/a.git && git push", { key: "remote.other.url", value: "/srv/a.git", type: "set" }, 2],
  ["npm run prepare && git push", { key: "core.hookspath", value: ".husky/_", type: "set" }, 2],
  ["git config --unset core.pager && git push", { key: "core.pager", value: null, type: "removed" }, 2],
] as const)("BOX47 after Yes to `%s`, the setting %j needs %i question(s) in total", async (command, change, count) => {
  const { permissions, permit, questions } = scene([{ type: "yes" }, { type: "yes" }], { mode: "ask" });
  const intent = { type: "command", command, isConfined: true } as const;
  await permissions.permit({ tool: "bash", arguments: { command }, intent }, { signal });
  expect(await permit({ file: "/work/.git/config", changes: [change], command }, { signal })).toEqual({
    type: "allowed",
  });
  expect(questions).toHaveLength(count);
});
