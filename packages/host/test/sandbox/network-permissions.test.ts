/** Hosts and ports that commands want to reach, as the permissions decide about them. */

import { type PermissionAnswer, type PermissionQuestion, Permissions, type WorkspaceShell } from "@pith/agent";
import { expect, test } from "vitest";
import { networkSetting } from "../../src/sandbox/network.ts";
import { NetworkPermissions } from "../../src/sandbox/network-permissions.ts";

const { signal } = new AbortController();

function scene(answers: readonly PermissionAnswer[] = [], mode: "edit" | "plan" | "all" = "edit") {
  const questions: PermissionQuestion[] = [];
  const left = [...answers];
  const permissions = new Permissions({
    mode,
    paths: { root: "/work", home: "/home/ann", temporaryFolders: [], privatePaths: [], permissionFiles: [] },
    resolveRealPath: async (path) => path,
    ask: async (question) => {
      questions.push(question);
      return left.shift() ?? { type: "no" };
    },
  });
  const network = new NetworkPermissions({ permissions, isPackageHost: async (host) => host === "packages.example" });
  const reach = (host: string, command: string | null = "npm install") =>
    network.permitHost({ host, port: 443, command }, { signal });
  return { permissions, network, reach, questions };
}

const allowed = { type: "allowed" };
const refused = { type: "refused", why: "the user did not permit it" };

test("PERM25 the question about a connection names the command and the host, and a package host needs none", async () => {
  const { reach, questions } = scene([{ type: "yes" }]);
  expect(await reach("packages.example")).toEqual(allowed);
  expect(await reach("example.com")).toEqual(allowed);
  expect(questions).toMatchObject([
    {
      tool: "bash",
      arguments: { command: "npm install", host: "example.com" },
      text: "Allow `npm install` to connect to example.com?",
      rules: [{ text: "network(example.com)" }],
    },
  ]);
});

test("PERM26 Yes holds for every command of the session, No for the rest of the same command", async () => {
  const { reach, questions, network } = scene([{ type: "yes" }, { type: "no" }, { type: "no" }, { type: "no" }]);
  expect(await reach("example.com", "a")).toEqual(allowed);
  expect(await reach("example.com", "b")).toEqual(allowed);
  expect(await reach("other.example", "a")).toEqual(refused);
  expect(await reach("other.example", "a")).toEqual(refused);
  expect(questions).toHaveLength(2);
  expect(await reach("other.example", "b")).toEqual(refused);
  expect(questions).toHaveLength(3);
  const shell: WorkspaceShell = { run: async () => ({ type: "ended", exitCode: 0 }) };
  await network.forgetAfterCommand(shell).run("a", { signal, onOutput: () => {} });
  expect(await reach("other.example", "a")).toEqual(refused);
  expect(questions).toHaveLength(4);
});

test("PERM26 connections at the same time cause one question", async () => {
  const { reach, questions } = scene([{ type: "no" }]);
  expect(await Promise.all([reach("example.com"), reach("example.com")])).toEqual([refused, refused]);
  expect(questions).toHaveLength(1);
});

test("PERM30 in plan mode the next connection is refused, even to a host that was permitted", async () => {
  const { reach, permissions, questions } = scene([{ type: "yes" }]);
  expect(await reach("example.com")).toEqual(allowed);
  permissions.setMode("plan");
  expect(await reach("example.com")).toMatchObject({ type: "refused" });
  expect(await reach("packages.example")).toMatchObject({ type: "refused" });
  permissions.setMode("edit");
  expect(await reach("example.com", "another")).toEqual(allowed);
  expect(questions).toHaveLength(1);
});

test("PERM25 without a known command, each connection needs its own question", async () => {
  const { reach, questions } = scene([{ type: "no" }, { type: "no" }]);
  expect(await reach("example.com", null)).toEqual(refused);
  expect(await reach("example.com", null)).toEqual(refused);
  expect(questions[0]?.text).toBe("Allow a command to connect to example.com?");
  expect(questions).toHaveLength(2);
});

test("PERM26 an aborted question does not count as an answer", async () => {
  const { network, questions } = scene([{ type: "yes" }]);
  const stop = new AbortController();
  stop.abort();
  const request = { host: "example.com", port: 443, command: "a" };
  expect(await network.permitHost(request, { signal: stop.signal })).toMatchObject({ type: "refused" });
  expect(await network.permitHost(request, { signal })).toEqual(allowed);
  expect(questions).toHaveLength(1);
});

test("BASH24 a port is opened once it is permitted, and a refusal has the user's reason", async () => {
  const { network, questions } = scene([{ type: "yes" }, { type: "no", word: "use 3001" }]);
  const opened: string[] = [];
  const opener = {
    reachHostPort: async (port: number) => {
      opened.push(`reach ${port}`);
      return { type: "open" } as const;
    },
    publishPort: async (port: number) => {
      opened.push(`publish ${port}`);
      return { type: "open" } as const;
    },
  };
  const ports = network.createPorts(opener);
  expect(await ports.connect(5432, { signal })).toEqual({ type: "open" });
  expect(await ports.connect(5432, { signal })).toEqual({ type: "open" });
  expect(await ports.publish(3000, { signal })).toEqual({
    type: "failed",
    why: "the user did not permit it: use 3001",
  });
  expect(opened).toEqual(["reach 5432", "reach 5432"]);
  expect(questions).toHaveLength(2);
});

test("SET15 the default of network is hosts, and on means the same", () => {
  const settings = [{}, { network: "on" }, { network: "hosts" }, { network: "off" }, { network: "open" }] as const;
  expect(settings.map(networkSetting)).toEqual(["hosts", "hosts", "hosts", "off", "open"]);
});
