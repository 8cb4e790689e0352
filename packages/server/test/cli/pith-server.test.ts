/** The commands of `pith-server` as processes: errors, tables, tenants, sessions that have work, and the drain of a server. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime } from "@pith/context/node";
import { startServer as startModel } from "@pith/testkit";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { acceptMessage, createSession, MemoryQueue } from "../../src/index.ts";
import { APPLICATION, OWNER } from "../support/cluster.ts";
import { TENANT } from "../support/database.ts";
import { startProgram, type Variables } from "../support/programs.ts";
import { readRunState } from "../support/run-sessions.ts";
import { clientOf, connectionString } from "../support/serve.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

/** Runs a command in this process: only a server needs one of its own. */
async function run(args: readonly string[], environment: Variables) {
  const [lines, errors]: [string[], string[]] = [[], []];
  const code = await runCli(args, {
    environment,
    print: (line) => void lines.push(line),
    printError: (line) => void errors.push(line),
  });
  return { code, stdout: lines.join("\n"), stderr: errors.join("\n") };
}

let variables: Variables;

beforeAll(async () => {
  variables = {
    PITH_DATABASE_URL: connectionString(postgres.cluster, APPLICATION),
    PITH_OWNER_URL: connectionString(postgres.cluster, OWNER),
    PITH_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    ANTHROPIC_API_KEY: "sk-operator",
  };
  expect(await run(["migrate"], variables)).toMatchObject({ code: 0 });
});

test.each([
  { args: ["fly"], variables: {}, message: "there is no command fly; run: pith-server --help" },
  { args: ["start", "--prot", "1"], variables: {}, message: "Unknown option '--prot'; run: pith-server start --help" },
  {
    args: ["sessions", "list"],
    variables: {},
    message: "set PITH_DATABASE_URL: where PostgreSQL is, as the role of the application",
  },
  { args: ["tokens", "create", "me"], variables: { PITH_DATABASE_URL: "postgresql://x" }, message: /tenant/ },
  { args: ["tenants", "erase", TENANT], variables: { PITH_DATABASE_URL: "postgresql://x" }, message: /add --yes/ },
])("HOPS1 `pith-server $args` says what to do instead", async ({ args, variables: given, message }) => {
  const { code, stderr } = await run(args, given as Variables);
  expect(code).toBe(2);
  expect(stderr).toEqual(typeof message === "string" ? `pith-server: ${message}` : expect.stringMatching(message));
});

test("HOPS2 operators list sessions that have work over all tenants, without their texts, release parked ones and end runs", async () => {
  const wake = new MemoryQueue().createWake();
  const inbox = { database: postgres.database, wake };
  for (const id of ["stuck", "queued"]) {
    await (await createSession(postgres.database, TENANT, { cwd: "/work", id, runtime: nodeRuntime })).close();
    const message = { id: "m1", kind: "followUp", content: "A secret plan." } as const;
    await acceptMessage(inbox, TENANT, { session: id, message });
  }
  await postgres.cluster.runAsSuperuser(
    "update pith.session set parked = 'three workers ended', has_place = false where id = 'stuck'",
  );
  const listed = await run(["sessions", "list", "--json"], variables);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { tenant: TENANT, id: "stuck", status: "parked", parked: "three workers ended" },
    { tenant: TENANT, id: "queued", status: "busy", holder: null },
  ]);
  expect((await run(["sessions", "list"], variables)).stdout).not.toContain("secret");
  expect(await run(["sessions", "release", TENANT, "stuck"], variables)).toMatchObject({ code: 0 });
  expect(await run(["sessions", "release", TENANT, "stuck"], variables)).toMatchObject({ code: 2 });
  expect((await readRunState(postgres.database, "stuck")).parked).toBeNull();
  expect(await run(["sessions", "abort", TENANT, "queued"], variables)).toMatchObject({ code: 0 });
});

test("HOPS3 a server that is told to stop ends its runs between two requests, and another one goes on; logs have no content", async () => {
  const folder = mkdtempSync("/var/tmp/pith-drain-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const call = { type: "call", name: "bash", arguments: { command: "sleep 1; echo ready" } } as const;
  const model = await startModel({
    script: ({ body }) =>
      JSON.stringify((body as { readonly messages: readonly unknown[] }).messages.at(-1)).includes("tool_result")
        ? "It is ready."
        : { parts: [call] },
  });
  onTestFinished(() => model.close());
  const given = { ...variables, PITH_FOLDER: folder };
  const settings = join(folder, "settings.json");
  writeFileSync(settings, JSON.stringify({ baseUrl: `${model.url}/v1`, model: "anthropic/claude-sonnet-4-5" }));
  const start = () => startProgram("src/bin.ts", ["start", "--port", "0", "--settings", settings], given);
  const first = start();
  const line = await first.waitForLine(/Listening on/);
  const url = line.slice(line.indexOf("http"));
  const { stdout } = await run(["tenants", "create"], variables);
  const client = clientOf(url, /token\s+(\S+)/.exec(stdout)?.[1] ?? "");
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  await client.call("POST", "/sessions", { id: "drained" });
  await client.call("POST", "/sessions/drained/messages", { id: "m1", content: "Get the marker-4711 ready." });
  const countRequests = () => model.requests.filter(({ body }) => JSON.stringify(body).includes("marker-4711")).length;
  await expect.poll(countRequests).toBe(1);
  await first.kill("SIGTERM");
  expect(first.child.exitCode).toBe(0);
  expect(first.output).toContain("Stopped; other workers go on with its sessions.");
  for (const secret of ["marker-4711", "drained", client.token]) expect(first.output).not.toContain(secret);
  expect(first.output).toContain("/v1/sessions/:session/messages");

  const second = start();
  const nextLine = await second.waitForLine(/Listening on/);
  const next = clientOf(nextLine.slice(nextLine.indexOf("http")), client.token);
  await expect.poll(async () => (await next.call("GET", "/sessions/drained")).body.status).toBe("idle");
  const { entries } = (await next.call("GET", "/sessions/drained/entries")).body;
  expect(JSON.stringify(entries)).toContain("It is ready.");
  expect(countRequests()).toBe(2);
});
