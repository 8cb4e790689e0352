/** Tests sandbox/caught.ts: what mode, rules and the user decide about files that a command made and that other programs run. */

import { type PermissionAnswer, type PermissionQuestion, Permissions, parseRule, type Rule } from "@pith/agent";
import { expect, test } from "vitest";
import { createCatchDecisions, describeLeftFiles } from "../../src/sandbox/caught.ts";

const { signal } = new AbortController();

interface DecisionOptions {
  readonly answer?: PermissionAnswer | null;
  readonly allow?: readonly Rule[];
  readonly mode?: "ask" | "edit" | "plan" | "all";
}

function openDecisions({ answer = { type: "yes" }, allow = [], mode = "edit" }: DecisionOptions = {}) {
  const questions: PermissionQuestion[] = [];
  const permissions = new Permissions({
    mode,
    rules: { allow },
    paths: {
      ...{ root: "/work", home: "/home/ann", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
      hasSandbox: true,
    },
    resolveRealPath: async (path) => path,
    ...(answer && {
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
    }),
  });
  return { ...createCatchDecisions(permissions), permissions, questions };
}

const made = { paths: ["/work/.vscode/tasks.json"], remarks: [], command: "npm run setup", signal };

test("BOX36 the question about a created file names the file, the command and the reason, and shows its text", async () => {
  const { ask, questions } = openDecisions();
  expect(await ask({ ...made, text: "{}", remarks: [".git/config sets core.fsmonitor = x"] })).toEqual({
    mayReturn: true,
  });
  expect(questions).toMatchObject([
    {
      tool: "write",
      arguments: { path: "/work/.vscode/tasks.json", content: "{}" },
      text: "Allow .vscode/tasks.json, which `npm run setup` made, to stay? Until you allow it, it is not in the workspace. .git/config sets core.fsmonitor = x. Other programs execute or trust this path.",
    },
  ]);
});

test("BOX36 without a user the file is refused, with the flag that would allow it", async () => {
  expect(await openDecisions({ answer: null }).ask(made)).toEqual({
    mayReturn: false,
    why: "not permitted: no user is available to ask. To allow it, use --allow 'edit(.vscode/tasks.json)'",
  });
});

test.each(["edit", "all"] as const)(
  "BOX36 in mode %s only a rule lets a file stay without a question",
  async (mode) => {
    const path = "/work/.vscode/tasks.json";
    const parsed = parseRule("edit(.vscode/**)");
    if (parsed.type !== "rule") throw new Error(parsed.message);
    expect(await openDecisions({ mode }).mayStay(path)).toBe(false);
    expect(await openDecisions({ mode, allow: [parsed.rule] }).mayStay(path)).toBe(true);
    expect(await openDecisions({ mode }).mayStay("/work/src/a.ts")).toBe(true);
  },
);

test("BOX36 a file that a tool was permitted to write stays without a question, once", async () => {
  const { mayStay, permissions } = openDecisions();
  const path = "/work/.vscode/tasks.json";
  const request = { tool: "write", arguments: { path }, intent: { type: "change", paths: [path] } } as const;
  await permissions.permit(request, { signal });
  expect([await mayStay(path), await mayStay(path)]).toEqual([true, false]);
});

test("BOX17 the notice about files of a killed process says where they were moved", () => {
  expect(describeLeftFiles([{ path: "/work/.envrc", movedTo: "/home/ann/.pith/caught/1/.envrc" }])).toEqual([
    "A command made /work/.envrc before Pith was killed. Other programs run or trust this path, so Pith moved it to /home/ann/.pith/caught/1/.envrc.",
  ]);
});
