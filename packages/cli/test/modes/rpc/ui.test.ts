/** Questions to the other program, and what comes back. */

import assert from "node:assert/strict";
import type { PermissionQuestion } from "@pith/agent";
import { parseRule } from "@pith/agent";
import type { RpcUiRequest } from "@pith/client";
import { test } from "vitest";
import { createPermissionPrompt, createRpcUi, Questions } from "../../../src/modes/rpc/ui.ts";

function asking(conceal: (request: RpcUiRequest) => RpcUiRequest = (request) => request) {
  const requests: RpcUiRequest[] = [];
  const questions = new Questions((request) => void requests.push(request), conceal);
  return { requests, questions, ui: createRpcUi(questions), ask: createPermissionPrompt(questions) };
}

test("RPC10 each question gets its own answer, and an answer that does not fit leaves the question open", async () => {
  const { requests, questions, ui } = asking();
  const [which, sure, name] = [ui.select("Which?", ["a", "b"]), ui.confirm("Sure?", "Really?"), ui.input("Name?")];
  assert.deepEqual(
    requests.map(({ id, method }) => [id, method]),
    [
      ["q1", "select"],
      ["q2", "confirm"],
      ["q3", "input"],
    ],
  );
  assert.match(questions.handleResponse({ id: "q1", value: "c" }) ?? "", /one of the options/);
  assert.equal(questions.handleResponse({ id: "q3", value: "Ann" }), null);
  assert.equal(questions.handleResponse({ id: "q1", value: "b" }), null);
  assert.equal(questions.handleResponse({ id: "q2", cancelled: true }), null);
  assert.deepEqual([await which, await sure, await name], ["b", false, "Ann"]);
  assert.match(questions.handleResponse({ id: "q1", value: "b" }) ?? "", /no open question has this "id"/);
});

test("RPC10 a question ends at its timeout, at an abort, and when the client disconnects", async () => {
  const { questions, ui } = asking();
  assert.equal(await ui.select("Which?", ["a"], { timeout: 5 }), undefined);
  const stop = new AbortController();
  const left = ui.input("Name?", "yours", { signal: stop.signal });
  stop.abort();
  assert.equal(await left, undefined);
  const open = ui.confirm("Sure?", "Really?");
  questions.close();
  assert.deepEqual([await open, await ui.confirm("Again?", "")], [false, false]);
});

test("RPC10 RPC17 choosing an option that was redacted returns the original option", async () => {
  const conceal = (request: RpcUiRequest) => JSON.parse(JSON.stringify(request).replaceAll("hunter2", "…"));
  const { requests, questions, ui } = asking(conceal);
  const which = ui.select("Which of hunter2?", ["a", "use hunter2"]);
  assert.deepEqual([Object(requests[0]).title, Object(requests[0]).options], ["Which of …?", ["a", "use …"]]);
  assert.match(questions.handleResponse({ id: "q1", value: "use hunter2" }) ?? "", /one of the options/);
  assert.equal(questions.handleResponse({ id: "q1", value: "use …" }), null);
  assert.equal(await which, "use hunter2");
});

test("RPC9 a permission question is a select with the rules to remember; no answer refuses", async () => {
  const { requests, questions, ask } = asking();
  const rule = { text: "bash(npm test)" } as PermissionQuestion["rules"][number];
  const question: PermissionQuestion = {
    tool: "bash",
    arguments: {},
    intent: null,
    text: "Allow bash to run it?",
    rules: [rule],
  };
  const signal = new AbortController().signal;
  const answered = ask(question, { signal, mayAnswerLater: false });
  const [first] = requests;
  assert.deepEqual(Object(first).options, [
    "Yes",
    "Yes, and don't ask again in this session: bash(npm test)",
    "Yes, and don't ask again in this project: bash(npm test)",
    "No",
  ]);
  assert.deepEqual([Object(first).timeout, Object(first).permission.rules], [300_000, ["bash(npm test)"]]);
  questions.handleResponse({ id: "q1", value: "Yes, and don't ask again in this project: bash(npm test)" });
  assert.deepEqual(await answered, { type: "yes", remember: { rule, for: "project" } });
  const left = ask(question, { signal, mayAnswerLater: false });
  questions.close();
  assert.deepEqual(await left, { type: "no" });
});

test("PERM31 a question about a connection goes to the client, and Yes lasts for the session", async () => {
  const { requests, questions, ask } = asking();
  const parsed = parseRule("network(example.com)");
  assert.equal(parsed.type, "rule");
  const intent = { type: "network", host: "example.com", port: 443, command: "npm install" } as const;
  const text = "Allow `npm install` to connect to example.com?";
  const rules = parsed.type === "rule" ? [parsed.rule] : [];
  const permissionQuestion = {
    tool: "bash",
    arguments: { command: "npm install" },
    intent,
    text,
    rules,
    yesLasts: "session",
  } as const;
  const answer = ask(permissionQuestion, { signal: new AbortController().signal, mayAnswerLater: false });
  assert.deepEqual(
    requests.map((request) => ("options" in request ? request.options : [])),
    [["Yes", "Yes, and don't ask again in this project: network(example.com)", "No"]],
  );
  assert.deepEqual(
    requests.map((request) => ("permission" in request ? request.permission?.yesLasts : null)),
    ["session"],
  );
  assert.equal(questions.handleResponse({ id: "q1", value: "Yes" }), null);
  assert.deepEqual(await answer, { type: "yes" });
});
