/** Tests rules on named tools, such as the tools of an MCP server. */

import { expect, test } from "vitest";
import { decide } from "../../src/permissions/decide.ts";
import { createQuestion } from "../../src/permissions/question.ts";
import { act, permissionPaths, rules, sight } from "../support/permission-requests.ts";

const named = (name: string) => sight(act({ type: "named", name }));

test("MCP14 a call needs a question unless a rule names the tool or its server, and a deny rule wins", () => {
  const decided = (name: string, texts: Parameters<typeof rules>[0], mode: "edit" | "plan" | "all" = "edit") =>
    decide(named(name), { mode, rules: rules(texts), paths: permissionPaths }).type;
  expect(decided("calc/add", {})).toBe("asked");
  expect(decided("calc/add", { allow: ["own(calc/add)"] })).toBe("allowed");
  expect(decided("calc/add", { allow: ["own(calc/*)"] })).toBe("allowed");
  expect(decided("calc/add", { allow: ["own(calc)"] })).toBe("allowed");
  expect(decided("calc/adds", { allow: ["own(calc/add)"] })).toBe("asked");
  expect(decided("calc2/add", { allow: ["own(calc/*)", "own(calc)"] })).toBe("asked");
  expect(decided("x/calc/add", { allow: ["own(calc/*)", "own(/calc/add)", "own(~/calc/add)"] })).toBe("asked");
  expect(decided("calc/../web/die", { allow: ["own(calc/*)"] })).toBe("asked");
  expect(decided("calc/die", { allow: ["own(calc/*)"], deny: ["own(calc/die)"] })).toBe("refused");
  expect(decided("calc/die", { deny: ["own(calc/die)"] }, "all")).toBe("refused");
  expect(decided("calc/add", {}, "plan")).toBe("refused");
  expect(decided("calc/add", {}, "all")).toBe("allowed");
});

test("MCP14 the question has the tool and its arguments, and offers rules for the tool and for its server", () => {
  const asking = sight(
    act({ type: "named", name: "calc/add" }, { arguments: { tool: "calc/add", arguments: { one: 1 } } }),
  );
  const { text, rules: offered } = createQuestion(asking, { action: "unknown", reason: "mode" }, permissionPaths);
  expect(text).toContain('use calc/add with {"tool":"calc/add","arguments":{"one":1}}');
  expect(offered.map((rule) => rule.text)).toEqual(["own(calc/add)", "own(calc/*)"]);
});
