/** Tests redaction of provider errors, hook content and questions. */

import { MemoryStore, type ModelEvent, Session } from "@pith/context";
import { Vault } from "@pith/context/secrets";
import { scriptedModel, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent, type AgentEvent, type AgentHooks, Permissions } from "../../src/index.ts";
import { github, secretsFor, testVault } from "../support/secrets.ts";

async function streamEvents(before: readonly ModelEvent[], hooks: AgentHooks = {}) {
  const ports = testRuntime();
  const secrets = secretsFor();
  const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
  const model = scriptedModel("Done.");
  const faulty = {
    ...model,
    async *stream(...args: Parameters<typeof model.stream>) {
      yield* before;
      yield* model.stream(...args);
    },
  };
  const agent = new Agent({ session, model: faulty, tools: [], runtime: ports, secrets, hooks });
  const events: AgentEvent[] = [];
  for await (const event of agent.prompt("Begin.")) events.push(event);
  return { events, requests: JSON.stringify(model.requests) };
}

test("SEC11 redacts a provider error, and does not mix the text of a failed attempt into the next", async () => {
  const failure = { kind: "busy", message: `too many requests with ${github}` } as const;
  const { events } = await streamEvents([
    { type: "text-delta", text: "Half a wor" },
    { type: "reply-restarted", failure, waitMs: 0 },
  ]);
  expect(events.find(({ type }) => type === "auto_retry_start")).toMatchObject({
    errorMessage: `too many requests with ${testVault().redact(github)}`,
  });
  const lines = events.flatMap((event) =>
    event.type === "message_update" && event.delta.type === "text-delta" ? event.delta.text : [],
  );
  expect(lines.join("|")).not.toContain("wor");
  expect(JSON.stringify(events)).not.toContain(github);
});

test("SEC11 redacts content that a hook adds to a request", async () => {
  const { requests } = await streamEvents([], {
    context: [
      ({ messages }) => ({
        messages: [...messages, { role: "user", content: [{ type: "text", text: `With ${github}.` }], timestamp: 0 }],
      }),
    ],
  });
  expect(requests).toContain(`With ${testVault().redact(github)}.`);
  expect(requests).not.toContain(github);
});

test("SEC14 the question about a command warns of shell special characters in a secret", async () => {
  const calls: string[] = [];
  const password = "aR7;make-41;x";
  const vault = new Vault({ digest: () => "0123456789ab", environment: { MY_PASSWORD: password } });
  const permits = new Permissions({
    mode: "ask",
    paths: { root: "/work", home: "/home/me", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
    resolveRealPath: async (path) => path,
    redaction: vault,
    ask: async ({ text }) => {
      calls.push(text);
      return { type: "no" };
    },
  });
  for (const command of [`login ${password}`, "login me; make"])
    await permits.permit(
      { tool: "bash", arguments: { command }, intent: { type: "command", command, isConfined: false } },
      { signal: new AbortController().signal },
    );
  expect(calls[0]).toMatch(/PITH_SECRET_env_0123456789ab.* It contains a secret with shell metacharacters\.$/);
  expect(calls[0]).not.toContain("make");
  expect(calls[1]).not.toContain("signs");
});
