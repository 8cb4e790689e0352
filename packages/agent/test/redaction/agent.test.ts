/** Tests redaction in an agent: what tools get, and what events and log contain. */

import { MemoryStore, Session } from "@pith/context";
import { scriptedModel, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent, type AgentEvent, Permissions, type Tool, type ToolOutput } from "../../src/index.ts";
import { github, gitlab, secretsFor, testVault } from "../support/secrets.ts";

const placeholder = testVault().redact(String(github));

interface Scene {
  readonly run?: (args: Readonly<Record<string, unknown>>, update: (text: string) => void) => ToolOutput;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly permits?: Permissions;
  /** As a file tool does; false: as one that could send it away. */
  readonly isRestoring?: boolean;
}

async function runScene({ run = () => createOutput("ok"), arguments: args = { text: placeholder }, ...scene }: Scene) {
  const { permits, isRestoring = true } = scene;
  const ports = testRuntime();
  const secrets = secretsFor();
  const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
  const got: unknown[] = [];
  const tool: Tool = {
    name: "use",
    description: "uses it",
    parameters: { type: "object" },
    isIdempotent: false,
    ...(isRestoring && { restoresSecrets: true }),
    intent: ({ text }) => ({ type: "command", command: `echo ${text}`, isConfined: false }),
    run: async ({ arguments: input, update }) => {
      got.push(input);
      return run(input, update);
    },
  };
  const model = scriptedModel({ content: [{ type: "toolCall", id: "c1", name: "use", arguments: args }] }, "Done.");
  const agent = new Agent({
    session,
    model,
    tools: [tool],
    runtime: ports,
    secrets,
    ...(permits && { permissions: permits }),
    systemPrompt: { folder: "/work", appendedPrompt: `Key: ${gitlab}` },
  });
  const events: AgentEvent[] = [];
  for await (const event of agent.prompt(`Use ${github}.`)) events.push(event);
  return { session, agent, got, events, output: JSON.stringify([events, session.branch.entries, model.requests]) };
}

function createOutput(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

test("SEC6 a tool gets the secret; the log, the events and the model have the placeholder", async () => {
  const { got, output, events } = await runScene({
    run: ({ text }, update) => {
      update(`working on ${text}`);
      return { ...createOutput(`used ${text}`), details: { used: text } };
    },
  });
  expect(got).toEqual([{ text: github }]);
  expect(output).not.toContain(github);
  expect(output).toContain(`used ${placeholder}`);
  expect(output).toContain(`working on ${placeholder}`);
  expect(events.filter(({ type }) => type === "tool_execution_start")).toMatchObject([{ args: { text: placeholder } }]);
});

test("SEC6 SEC17 a tool without restoresSecrets gets the placeholder, and its result explains what to do", async () => {
  const { got, output: text } = await runScene({ isRestoring: false });
  expect(got).toEqual([{ text: placeholder }]);
  expect(text).not.toContain(github);
  expect(text).toContain(
    `${placeholder} was passed literally, not replaced by the secret. To use the real value, use a file tool, which restores it.`,
  );
});

test("SEC17 a tool without restoresSecrets also runs with an unknown placeholder, and gets no note without a placeholder", async () => {
  const unknown = await runScene({ arguments: { text: "PITH_SECRET_github_0123456789ab" }, isRestoring: false });
  expect(unknown.got).toEqual([{ text: "PITH_SECRET_github_0123456789ab" }]);
  const without = await runScene({ arguments: { text: "plain" }, isRestoring: false });
  expect(without.output).not.toContain("passed literally");
});

test("SEC6 a call with an unknown placeholder is not run, and the result says what to do", async () => {
  const { got, output: text } = await runScene({ arguments: { text: "PITH_SECRET_github_0123456789ab" } });
  expect(got).toEqual([]);
  expect(text).toContain(
    "not run: PITH_SECRET_github_0123456789ab is a placeholder for a secret that is no longer known; read the file that contains it again, or ask the user for it, then repeat the call",
  );
});

test("SEC6 redacts a secret that the model wrote itself, and the tool gets it unchanged", async () => {
  const { got, output: text } = await runScene({ arguments: { text: `with ${gitlab}` } });
  expect(got).toEqual([{ text: `with ${gitlab}` }]);
  expect(text).not.toContain(gitlab);
});

test("SEC14 permissions check the command with the secrets; questions and rules do not contain them", async () => {
  const calls: string[] = [];
  const permits = new Permissions({
    mode: "ask",
    paths: { root: "/work", home: "/home/me", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
    resolveRealPath: async (path) => path,
    rules: { deny: [] },
    redaction: secretsFor(),
    ask: async ({ text, rules, intent }) => {
      calls.push(JSON.stringify([text, rules, intent]));
      return { type: "no", word: `not with ${github}` };
    },
  });
  const { got, output } = await runScene({ permits });
  expect(got).toEqual([]);
  expect(calls).toEqual([expect.stringContaining(`echo ${placeholder}`)]);
  expect(`${calls.join("")}${output}`).not.toContain(github);
});

test("SEC15 reports a found secret once, by its kind, before the events that follow from it", async () => {
  const { events } = await runScene({});
  const found = events.flatMap((event) => (event.type === "secrets_redacted" ? event.secrets : []));
  expect(found.map(({ family }) => family).toSorted()).toEqual(["GitHub token", "GitLab token"]);
  expect(found).toContainEqual({ family: "GitHub token", placeholder });
});

test("SEC15 a secret in the system prompt does not append it again at every start", async () => {
  const { session, agent } = await runScene({});
  const systems = (): number =>
    session.branch.entries.filter((entry) => entry.type === "message" && entry.message.role === "system").length;
  const before = systems();
  for await (const _ of agent.resume());
  expect([before, systems()]).toEqual([1, 1]);
});
