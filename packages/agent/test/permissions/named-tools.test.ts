/** Tests rules on named tools, such as the tools of an MCP server. */

import { expect, test } from "vitest";
import { decide } from "../../src/permissions/decide.ts";
import { createQuestion } from "../../src/permissions/question.ts";
import { act, permissionPaths, rules, sight } from "../support/permission-requests.ts";

const named = (name: string) => sight(act({ type: "named", name }));

test("MCP14 a call needs a question unless a rule names the tool or its server, and a deny rule wins", () => {
  const decided = (name: string, texts: Parameters<typeof rules>[0], mode: "edit" | "plan" | "all" = "edit") =>
    decide(named(name), { mode, rules: rules(texts), paths: permissionPaths }).type;
  expect(decided("desk/add", {})).toBe("asked");
  expect(decided("desk/add", { allow: ["own(desk/add)"] })).toBe("allowed");
  expect(decided("desk/add", { allow: ["own(desk/*)"] })).toBe("allowed");
  expect(decided("desk/add", { allow: ["own(desk)"] })).toBe("allowed");
  expect(decided("desk/adds", { allow: ["own(desk/add)"] })).toBe("asked");
  expect(decided("desk2/add", { allow: ["own(desk/*)", "own(desk)"] })).toBe("asked");
  expect(decided("x/desk/add", { allow: ["own(desk/*)", "own(/desk/add)", "own(~/desk/add)"] })).toBe("asked");
  expect(decided("desk/../web/die", { allow: ["own(desk/*)"] })).toBe("asked");
  expect(decided("desk/die", { allow: ["own(desk/*)"], deny: ["own(desk/die)"] })).toBe("refused");
  expect(decided("desk/die", { deny: ["own(desk/die)"] }, "all")).toBe("refused");
  expect(decided("desk/add", {}, "plan")).toBe("refused");
  expect(decided("desk/add", {}, "all")).toBe("allowed");
});

test("MCP14 the question has the tool and its arguments, and offers rules for the tool and for its server", () => {
  const asking = sight(
    act({ type: "named", name: "desk/add" }, { arguments: { tool: "desk/add", arguments: { one: 1 } } }),
  );
  const { text, rules: offered } = createQuestion(asking, { action: "unknown", reason: "mode" }, permissionPaths);
  expect(text).toContain('use desk/add with {"tool":"desk/add","arguments":{"one":1}}');
  expect(offered.map((rule) => rule.text)).toEqual(["own(desk/add)", "own(desk/*)"]);
});
