/** Tests the program as a process: a command gets a secret only after a question that names it, and its value is never shown. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RpcEvent } from "@pith/client";
import { RpcClient } from "@pith/client";
import type { Script } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSampleSecrets } from "../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const bin = findBuiltProgram();
const [secret = ""] = createSampleSecrets(1, createSeededRandom(12)).map((planted) => planted.secret);

/** Says this to every question. */
async function runWithAnswer(script: Script, answer: "Yes" | "No", flags: readonly string[]) {
  const { url } = await program.serve(script);
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, DEPLOY_TOKEN: secret };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const args = [bin, "--mode", "rpc", ...flags];
  const client = RpcClient.start({ command: process.execPath, args, cwd: program.folder, env });
  const events: RpcEvent[] = [];
  const settled = new Promise<void>((resolve) => {
    client.listen((event) => {
      events.push(event);
      if (event.type === "agent_settled") resolve();
      if (event.type === "extension_ui_request" && event.method === "select")
        client.respond({ type: "extension_ui_response", id: event.id, value: answer });
    });
  });
  await client.send({ type: "prompt", message: "Deploy it." });
  await settled;
  await client.close();
  const questions = events.flatMap((event) =>
    event.type === "extension_ui_request" && event.method === "select" ? [event.title] : [],
  );
  return {
    questions,
    eventText: JSON.stringify(events),
    sent: JSON.stringify(program.server.requests.map(({ body }) => body)),
  };
}

const deploy =
  (secrets: readonly string[]): Script =>
  ({ resultCount }) => {
    const command = `printf %s "$DEPLOY_TOKEN" > got.txt; echo "$DEPLOY_TOKEN"`;
    return resultCount > 0 ? "Done." : { parts: [{ type: "call", name: "bash", arguments: { command, secrets } }] };
  };

test.each([
  ["in the sandbox", [], "? It has no network access."],
  ["without one", ["--sandbox", "off"], " without a sandbox? It can send the secret to any host."],
])(
  "PERM29 BASH21 %s a variable is passed after Yes, even in mode all, and its value is not shown or sent",
  async (_, flags, end) => {
    const { questions, eventText, sent } = await runWithAnswer(deploy(["DEPLOY_TOKEN"]), "Yes", [
      "--permission-mode",
      "all",
      ...flags,
    ]);
    expect(questions).toEqual([expect.stringMatching(/^Allow bash to run `printf .*` with the variable DEPLOY_TOKEN/)]);
    expect(questions[0]?.endsWith(end)).toBe(true);
    expect(readFileSync(join(program.folder, "got.txt"), "utf8")).toBe(secret);
    expect(`${eventText}${sent}${program.readSession()}`).not.toContain(secret);
    expect(sent).toContain("PITH_SECRET_");
  },
);

test("PERM29 after No the command is not run, and a provider's key is never passed", async () => {
  const refused = await runWithAnswer(deploy(["DEPLOY_TOKEN"]), "No", ["--permission-mode", "all"]);
  expect(refused.sent).toContain("the user did not permit it");
  const key = await runWithAnswer(deploy(["ANTHROPIC_API_KEY"]), "Yes", ["--permission-mode", "all"]);
  expect(key.sent).toContain("the variable ANTHROPIC_API_KEY is not set or cannot be passed to commands");
  expect(() => readFileSync(join(program.folder, "got.txt"))).toThrow();
});
