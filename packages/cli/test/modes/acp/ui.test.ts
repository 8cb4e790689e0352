/** What extensions ask, as an editor gets it: the library's own client answers, in this process. */

import assert from "node:assert/strict";
import { agent, client } from "@agentclientprotocol/sdk/unstable";
import type { ExtensionUi } from "@pith/agent";
import { test } from "vitest";
import type { AcpSession } from "../../../src/modes/acp/acp-context.ts";
import { OpenCalls } from "../../../src/modes/acp/tool-updates.ts";
import { createEditorUi, createPermissionOptions } from "../../../src/modes/acp/ui.ts";

const SECRET = ["f7Kq", "9ZtLw2", "mB4xRj8"].join("-");
const redact = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "[secret]"));

interface Answers {
  readonly forms: boolean;
  /** Gets what the editor is told. */
  readonly tell?: (params: unknown) => void;
  /** What is filled in, or the name of the button. */
  readonly answer: string | boolean | null;
}

async function runWithEditor<Value>(
  ask: (ui: ExtensionUi) => Promise<Value>,
  { forms, answer, tell = () => {} }: Answers,
): Promise<Value> {
  const editor = client()
    .onRequest("elicitation/create", ({ params }) => {
      tell(params);
      return answer === null ? { action: "cancel" } : { action: "accept", content: { answer } };
    })
    .onRequest("session/request_permission", ({ params }) => {
      tell(params);
      const chosen = params.options.find(({ name }) => name === answer);
      return { outcome: chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" } };
    });
  const session = { id: "s1" } as AcpSession;
  const sight = {
    cwd: "/code",
    features: { supportsCompactions: false, supportsNotices: false, supportsForms: forms },
  };
  return await agent().connectWith(editor, (context) =>
    ask(
      createEditorUi({
        client: context,
        view: sight,
        calls: new OpenCalls(),
        sendUpdate: async (update) => tell(update),
        session: () => session,
        redact,
      }),
    ),
  );
}

const which = (ui: ExtensionUi) => ui.select("Which?", ["one", "two"]);
const sure = (ui: ExtensionUi) => ui.confirm("Sure?", "It is gone then.");

test("ACP15 an extension asks with a form if the editor supports forms", async () => {
  assert.equal(await runWithEditor(which, { forms: true, answer: "two" }), "two");
  assert.equal(await runWithEditor(which, { forms: true, answer: "three" }), undefined);
  assert.equal(await runWithEditor(sure, { forms: true, answer: true }), true);
  assert.equal(await runWithEditor(sure, { forms: true, answer: null }), false);
  assert.equal(await runWithEditor((ui) => ui.input("Name?", "a word"), { forms: true, answer: "Ada" }), "Ada");
});

test("ACP15 without forms, a choice is sent as a permission request, and text input returns nothing", async () => {
  assert.equal(await runWithEditor(which, { forms: false, answer: "two" }), "two");
  assert.equal(await runWithEditor(which, { forms: false, answer: null }), undefined);
  assert.equal(await runWithEditor(sure, { forms: false, answer: "Yes" }), true);
  assert.equal(await runWithEditor(sure, { forms: false, answer: "No" }), false);
  assert.equal(await runWithEditor((ui) => ui.input("Name?"), { forms: false, answer: "Ada" }), undefined);
});

test.each([true, false])("XUI7 the editor gets no secrets in the text of an extension (forms: %s)", async (forms) => {
  const requests: unknown[] = [];
  const editor = { forms, tell: (params: unknown) => void requests.push(params) };
  const options = [`use ${SECRET}`, "use none"];
  const choose = (ui: ExtensionUi) => ui.select(`Keep ${SECRET}?`, options);
  assert.equal(await runWithEditor(choose, { ...editor, answer: "use [secret]" }), options[0]);
  await runWithEditor((ui) => ui.confirm(`Keep ${SECRET}?`, `It is ${SECRET}.`), { ...editor, answer: null });
  await runWithEditor((ui) => ui.input(`Not ${SECRET}?`, SECRET), { ...editor, answer: null });
  await runWithEditor(async (ui) => ui.notify(`found ${SECRET}`), { ...editor, answer: null });
  assert.equal(requests.length, forms ? 4 : 3);
  assert.equal(JSON.stringify(requests).includes(SECRET), false);
});

test("PERM31 a question about a connection belongs to the running call with that command", () => {
  const calls = new OpenCalls();
  for (const [toolCallId, command] of [
    ["c1", "npm test"],
    ["c2", "npm install"],
  ] as const)
    calls.handleEvent({ type: "tool_execution_start", toolCallId, toolName: "bash", args: { command, timeout: 60 } });
  const about = (command: string | null) =>
    calls.findCallId({
      ...{ tool: "bash", arguments: { host: "example.com" } },
      intent: { type: "network", host: "example.com", port: 443, command },
    });
  assert.deepEqual([about("npm install"), about("npm test"), about("make"), about(null)], ["c2", "c1", null, null]);
  assert.equal(createPermissionOptions({ rules: [], yesLasts: "session" })[0]?.name, "Allow for this session");
  assert.equal(createPermissionOptions({ rules: [] })[0]?.name, "Allow");
});
