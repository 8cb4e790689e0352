/** Tries to get around every item of a policy, through the built program as an ordinary user: print, RPC, an editor, subcommands. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { AttemptEnvironment, LARGE, SMALL } from "./attempt-environment.ts";
import { type Attempt, allAttempts } from "./attempts.ts";
import { Machine } from "./machine.ts";

let machine: Machine;

beforeAll(async () => {
  machine = await Machine.open();
});

afterAll(() => machine?.close());

interface Tried {
  readonly output: string;
  readonly isLoosened: boolean;
}

async function tryOut(attempt: Attempt, isHeld: boolean): Promise<Tried> {
  const target: AttemptEnvironment = await AttemptEnvironment.open({
    machine,
    script: async (request) => {
      const script = attempt.script?.(target);
      return typeof script === "function" ? await script(request) : "Done.";
    },
  });
  try {
    await attempt.before?.(target);
    target.forget();
    target.policy = machine.policy({ text: JSON.stringify(isHeld ? attempt.policy(target) : {}) });
    const output = await attempt.act(target);
    return { output, isLoosened: attempt.isLoosened(target) };
  } finally {
    await target.close();
  }
}

/** For a busy machine; nothing here waits for a time to pass. */
const LONGEST_MS = 300_000;

/** In the short form one attempt at each item is also made without the policy; `pnpm test:hostile` makes all of them so. */
const isControlled = (attempt: Attempt): boolean =>
  isLong || allAttempts.find(({ item }) => item === attempt.item) === attempt;

/** In the short form each run makes those attempts and every fourth of the others, from another one on. */
const first = Math.floor(Math.random() * 4);
const attempts = allAttempts.filter((attempt, at) => isControlled(attempt) || at % 4 === first);

describe.concurrent("attempts to get around a policy", () => {
  for (const attempt of attempts) {
    test(
      `POL6 ${attempt.item}: ${attempt.way} has no effect${isControlled(attempt) ? ", and would without the policy" : ""}`,
      async () => {
        const held = await tryOut(attempt, true);
        expect(held, held.output).toMatchObject({ isLoosened: false });
        if (attempt.namesPolicy)
          expect(held.output).toMatch(/Your organization's policy does not allow .*\/etc\/pith\/policy\.json/);
        if (!isControlled(attempt)) return;
        const free = await tryOut(attempt, false);
        expect(free, free.output).toMatchObject({ isLoosened: true });
      },
      LONGEST_MS,
    );
  }
});

test("POL6 every policy item has attempts, at least forty in total", () => {
  expect(allAttempts.length).toBeGreaterThanOrEqual(40);
  expect([...new Set(allAttempts.map(({ item }) => item))].toSorted()).toEqual([
    ...["auditLog", "extensions.allow", "mcp.allow", "models.allow", "network.deny", "network.hosts", "network.mode"],
    ...["permissions.ask", "permissions.deny", "permissions.modes", "sandbox", "secrets.redact"],
  ]);
});

/** What a policy with every item leaves, which a user goes on to use. */
describe.concurrent("what a policy allows", () => {
  const open = async (
    policy: (world: AttemptEnvironment) => object,
    script?: Parameters<typeof AttemptEnvironment.open>[0]["script"],
  ): Promise<AttemptEnvironment> => {
    const target = await AttemptEnvironment.open({ machine, ...(script && { script }) });
    target.policy = machine.policy({ text: JSON.stringify(policy(target)) });
    return target;
  };
  const call = (name: string, given: object) => ({ parts: [{ type: "call" as const, name, arguments: { ...given } }] });

  test("POL7 a permitted model answers in print mode, over RPC and in an editor", { timeout: LONGEST_MS }, async () => {
    const target = await open(({ permitted }) => ({ models: { allow: ["anthropic/*"], baseUrls: [permitted.url] } }));
    expect(await target.pith("-p", "--model", SMALL, "hello")).toContain("Done.");
    await target.rpc([
      { type: "set_model", provider: "anthropic", modelId: LARGE.split("/")[1] ?? "" },
      { type: "prompt", message: "go" },
    ]);
    expect(await target.acp([["session/prompt", { prompt: [{ type: "text", text: "hello" }] }]])).toContain("end_turn");
    expect(target.models).toHaveLength(3);
    await target.close();
  });

  test("POL7 commands run in the sandbox in a permitted mode, and an editor is offered only permitted modes", {
    timeout: LONGEST_MS,
  }, async () => {
    const target = await open(
      () => ({ sandbox: "required", permissions: { modes: ["plan", "edit"], deny: ["bash(rm:*)"] } }),
      ({ number }) => (number === 1 ? call("bash", { command: "echo made > made.txt" }) : "Done."),
    );
    await target.pith("-p", "hello");
    expect(target.has("work/made.txt")).toBe(true);
    const output = await target.acp([]);
    expect(output).toContain('"availableModes":[{"id":"plan"');
    expect(output).not.toContain('"id":"all"');
    await target.close();
  });

  test("POL7 a permitted host is fetched if a rule of the user allows it", { timeout: LONGEST_MS }, async () => {
    const target: AttemptEnvironment = await open(
      () => ({ network: { mode: "hosts", hosts: ["127.0.0.1"], deny: ["example.org"] } }),
      ({ number }) => (number === 1 ? call("fetch", { url: `http://127.0.0.1:${target.port}/page` }) : "Done."),
    );
    target.settings({ fetchHosts: [`127.0.0.1:${target.port}`] });
    await target.pith("-p", "--tools", "all", "hello");
    expect(target.visits).toEqual([]);
    const again: AttemptEnvironment = await open(
      () => ({ network: { mode: "hosts", hosts: ["127.0.0.1"] } }),
      ({ number }) => (number === 1 ? call("fetch", { url: `http://127.0.0.1:${again.port}/page` }) : "Done."),
    );
    again.settings({ fetchHosts: [`127.0.0.1:${again.port}`] });
    await again.pith("-p", "--tools", "all", "--allow", "fetch(127.0.0.1)", "hello");
    expect(again.visits).toEqual(["/page"]);
    await target.close();
    await again.close();
  });

  test("POL7 an extension that only root can change is loaded through a link in the user's folder", {
    timeout: LONGEST_MS,
  }, async () => {
    const code =
      'import { writeFileSync } from "node:fs"; writeFileSync(process.env.HOME + "/loaded", ""); export default () => {};';
    const path = machine.rootFile("good.js", code);
    const target = await open(() => ({ extensions: { allow: [path] } }));
    target.link(path, "home/.pith/extensions/good.js");
    await target.pith("-p", "hello");
    expect(target.has("home/loaded")).toBe(true);
    await target.close();
  });

  test("POL7 a permitted server starts with arguments that match * and a permitted variable", {
    timeout: LONGEST_MS,
  }, async () => {
    const target = await open(() => ({
      mcp: { allow: [{ name: "desk", command: "/bin/sh", args: ["-c", "*"], env: ["REGION"] }] },
    }));
    const args = ["-c", `echo x > ${target.home}/started`];
    target.settings({ mcpServers: { desk: { command: "/bin/sh", args, env: { REGION: "eu" }, sandbox: "off" } } });
    await target.pith("mcp", "trust", "desk", "--yes");
    expect(target.has("home/started")).toBe(true);
    await target.close();
  });

  test("POL8 pith settings shows which values the policy sets", { timeout: LONGEST_MS }, async () => {
    const target = await open(() => ({
      sandbox: "required",
      permissions: { modes: ["plan", "ask"] },
      network: { mode: "off" },
    }));
    target.settings({ sandbox: "off", network: "open" });
    const output = await target.pith("settings");
    expect(output).toMatch(/permissionMode +"ask" +← \/etc\/pith\/policy\.json/);
    expect(output).toMatch(/sandbox +"on" +← \/etc\/pith\/policy\.json/);
    expect(output).toMatch(/network +"off" +← \/etc\/pith\/policy\.json/);
    expect(output).toContain(
      'Your organization\'s policy does not allow sandbox "off" (/etc/pith/policy.json). Using "on" instead.',
    );
    await target.close();
  });

  test("POL8 pith does not start if it cannot enforce the policy", { timeout: LONGEST_MS }, async () => {
    const target = await open(() => ({ sandbox: "required" }));
    target.variables = { PATH: machine.pathWithoutSandbox() };
    expect(await target.pith("-p", "hello")).toContain(
      "Your organization's policy does not allow commands without a sandbox",
    );
    expect(target.models).toEqual([]);
    await target.close();
  });
});
