/** Tests commands that request secrets, hosts and ports: what the shell receives and what the model reads. */

import { expect, test } from "vitest";
import type { NetworkConnection, PortResult, ShellOptions, WorkspaceShell } from "../../../src/ports.ts";
import { type BashTool, bashTool } from "../../../src/tools/bash/bash.ts";
import type { SecretSource } from "../../../src/tools/bash/command-secrets.ts";
import { parseBashInput } from "../../../src/tools/bash/input.ts";
import type { Sandbox } from "../../../src/tools/bash/result.ts";
import { call, folder, shellIn } from "../../support/bash-tool.ts";

const github = "PITH_SECRET_github_5f0c1a9b3d27";
const odd = "PITH_SECRET_assigned_0123456789ab";
const values: Readonly<Record<string, string>> = { [github]: "ghp-true-value", [odd]: "a'; echo broken out; '" };

const source: SecretSource = {
  resolvePlaceholder: async (name) => values[name] ?? null,
  readVariable: (name) => ({ DEPLOY_TOKEN: "token-value" })[name] ?? null,
  findLogin: async (name, { hosts }) =>
    name === "npm" ? { environment: { HOSTS_ASKED: hosts.join(" ") }, credentialFiles: ["~/.npmrc"] } : null,
};

interface Scene {
  readonly network?: Sandbox["network"];
  readonly connections?: readonly NetworkConnection[];
  readonly port?: PortResult;
}

/** A real shell, of which each act is noted, with what a network would tell. */
function scene({ network = "hosts", connections = [], port = { type: "open" } }: Scene = {}) {
  const real = shellIn(folder());
  const acts: (Omit<ShellOptions, "signal" | "onOutput" | "onConnection"> & { readonly command: string })[] = [];
  const shell: WorkspaceShell = {
    run: async (command, act) => {
      const { signal: _, onOutput: __, onConnection, ...rest } = act;
      acts.push({ command, ...rest });
      for (const connection of connections) onConnection?.(connection);
      return await real.run(command, act);
    },
  };
  const opened: string[] = [];
  const ports = {
    connect: async (number: number) => {
      opened.push(`reach ${number}`);
      return port;
    },
    publish: async (number: number) => {
      opened.push(`publish ${number}`);
      return port;
    },
  };
  const sandbox: Sandbox = { unconfined: shell, network, mayWrite: () => true, ports };
  const tool: BashTool = bashTool(shell, { sandbox, secrets: source });
  return { tool, acts, opened, plain: bashTool(shell, { secrets: source }) };
}

test("BASH21 a requested placeholder is replaced by its value in the command and in the environment, and others are not", async () => {
  const { tool, acts } = scene();
  const command = `echo ${github} "$${github}" \${${github}} ${odd}`;
  const { text } = await call(tool, { command, secrets: [github], hosts: ["Example.com"] });
  expect(text).toBe(`ghp-true-value ghp-true-value ghp-true-value ${odd}`);
  expect(acts).toMatchObject([
    { hosts: ["example.com"], environment: { [github]: "ghp-true-value" }, credentialFiles: [] },
  ]);
});

test("BASH21 variables and logins are passed to the requesting command only, together with its hosts", async () => {
  const { tool, acts } = scene();
  const { text } = await call(tool, {
    command: "echo $DEPLOY_TOKEN $HOSTS_ASKED",
    secrets: ["DEPLOY_TOKEN", "npm"],
    hosts: "a.example",
  });
  expect(text).toBe("token-value a.example");
  expect((await call(tool, { command: "echo $DEPLOY_TOKEN ." })).text).toBe(".");
  expect(acts[0]).toMatchObject({ hosts: ["a.example"], credentialFiles: ["~/.npmrc"] });
  const handlers = { onCaught: expect.any(Function), onSandbox: expect.any(Function) };
  expect(acts[1]).toEqual({ command: "echo $DEPLOY_TOKEN .", ...handlers });
});

test("BASH21 a job gets its secrets, reaches no host without hosts, and is listed without the value", async () => {
  const { tool, acts } = scene();
  await call(tool, { command: `sleep 60; echo ${github}`, secrets: [github], background: true });
  expect(acts).toMatchObject([{ command: "sleep 60; echo ghp-true-value", hosts: [] }]);
  expect(tool.ongoing()).toBe(`job-1: sleep 60; echo ${github}`);
  await tool.dispose();
});

test("BASH21 the intent names the secrets and hosts, and shows the command without the value", () => {
  const { tool, plain } = scene();
  const input = { command: `echo ${github}`, secrets: [github, "npm"], hosts: ["example.com"] };
  const intent = { type: "command", command: `echo ${github}`, secrets: [github, "npm"], hosts: ["example.com"] };
  expect(tool.intent(input)).toEqual({ ...intent, isConfined: true });
  expect(tool.intent({ ...input, outside: true })).toEqual({ ...intent, isConfined: false, isOutside: true });
  expect(plain.intent(input)).toEqual({ ...intent, isConfined: false });
  expect(tool.intent({ command: "ls", secrets: [], hosts: [] })).toEqual({
    type: "command",
    command: "ls",
    isConfined: true,
  });
});

test("BASH21 the value is also passed without a sandbox", async () => {
  const { plain } = scene();
  expect((await call(plain, { command: `echo ${github}`, secrets: [github] })).text).toBe("ghp-true-value");
});

test("SEC18 a value with shell special characters is not put into the command, but is available as a variable", async () => {
  const { tool, acts } = scene();
  const refused = await call(tool, { command: `echo '${odd}'`, secrets: [odd] });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toBe(
    `the command did not run: the value of ${odd} contains shell metacharacters; write "$${odd}" in the command instead`,
  );
  expect(acts).toEqual([]);
  expect((await call(tool, { command: `echo "$${odd}"`, secrets: [odd] })).text).toBe(values[odd]);
});

test.each([
  ["PITH_SECRET_github_000000000000", "is no longer known; read the file that contains it again"],
  ["NO_SUCH_VARIABLE", "the variable NO_SUCH_VARIABLE is not set or cannot be passed to commands"],
  ["cargo", "the user has no cargo login"],
])("SEC18 %s cannot be passed, and the command is not run", async (name, why) => {
  const { tool, acts } = scene();
  const { text, isError } = await call(tool, { command: "ls", secrets: [name] });
  expect({ text, isError }).toEqual({ text: expect.stringContaining(why), isError: true });
  expect(acts).toEqual([]);
});

test.each([
  [{ hosts: ["example.com"] }, "`hosts` can only be used with `secrets`"],
  [{ secrets: ["npm"], hosts: ["https://example.com/"] }, "`hosts` must contain plain host names"],
  [{ secrets: ["npm"], hosts: ["*.example.com"] }, "`hosts` must contain plain host names"],
  [{ secrets: ["npm"], hosts: [7] }, "`hosts` must be a list of names"],
  [{ secrets: ["$(id)"] }, "`secrets` must contain placeholders"],
  [{ host_port: 0 }, "`host_port` must be a port"],
  [{ publish_port: "x" }, "`publish_port` must be a port"],
])("BASH22 the arguments %j are refused with an error, and the intent is nothing", async (more, why) => {
  const { tool, acts } = scene();
  const { text, isError } = await call(tool, { command: "ls", ...more });
  expect({ text, isError }).toEqual({ text: expect.stringContaining(why), isError: true });
  expect(tool.intent({ command: "ls", ...more })).toEqual({ type: "nothing" });
  expect(acts).toEqual([]);
});

test("BASH22 hosts are refused while the network is off", async () => {
  const { tool } = scene({ network: "off" });
  const { text } = await call(tool, { command: "ls", secrets: ["npm"], hosts: ["example.com"] });
  expect(text).toBe("the command did not run: the network is off, so it cannot reach any host");
});

const connection = (host: string, more: Partial<NetworkConnection> = {}): NetworkConnection => ({
  ...{ host, port: 443, outcome: "allowed", sentBytes: 10, receivedBytes: 20 },
  ...more,
});

test("BASH23 the result lists the reached hosts, merged, and the refused ones with the reason", async () => {
  const no = { outcome: "refused", why: "the user did not permit it", sentBytes: 0, receivedBytes: 0 } as const;
  const connections = [
    connection("a.example"),
    connection("a.example"),
    connection("b.example", no),
    connection("b.example", no),
  ];
  const { tool } = scene({ connections });
  const { text, details } = await call(tool, { command: "echo could not resolve; exit 1" });
  expect(details.network).toEqual([
    { host: "a.example", port: 443, outcome: "allowed", sentBytes: 20, receivedBytes: 40 },
    { host: "b.example", port: 443, ...no },
  ]);
  expect(text).toBe("could not resolve\n\nexit code 1\nnetwork: b.example was refused: the user did not permit it");
  const both = await call(tool, { command: "echo Read-only file system; exit 1" });
  expect(both.text).toMatch(/\nnetwork: b\.example was refused: .*\nThe command ran in a sandbox that can write only/);
});

test("BASH23 an address that was refused is reported with the parameter or the setting that permits it", async () => {
  const no = (host: string, port: number, why: string): NetworkConnection =>
    connection(host, { port, outcome: "refused", why });
  const connections = [
    no("10.0.0.5", 4873, "10.0.0.5 is not on the public internet (private address)"),
    no("git.corp", 443, "git.corp (10.0.0.6) is not on the public internet (private address)"),
    no("wiki", 80, "wiki is a name on the local network"),
    no("127.0.0.1", 8080, "127.0.0.1 is not on the public internet (loopback address)"),
    no("169.254.169.254", 80, "169.254.169.254 is not on the public internet (metadata address)"),
  ];
  const { text } = await call(scene({ connections }).tool, { command: "true" });
  expect(text.split("\n").slice(2)).toEqual([
    'network: 10.0.0.5 is not on the public internet (private address). The user can allow it with "10.0.0.5:4873" in the setting fetchHosts',
    'network: git.corp (10.0.0.6) is not on the public internet (private address). The user can allow it with "git.corp:443" in the setting fetchHosts',
    'network: wiki is a name on the local network. The user can allow it with "wiki:80" in the setting fetchHosts',
    "network: 127.0.0.1 is not on the public internet (loopback address). If it is a server on the user's machine, run the command with `host_port: 8080` (the user is asked)",
    "network: 169.254.169.254 is not on the public internet (metadata address)",
  ]);
});

test("BASH23 the report of refused hosts is short for many hosts, and absent for none", async () => {
  const many = Array.from({ length: 300 }, (_, at) => connection(`h${at}.example`, { outcome: "refused", why: "no" }));
  const { text, details } = await call(scene({ connections: many }).tool, { command: "true" });
  expect(details.network).toHaveLength(50);
  expect(text.split("\n").filter((line) => line.startsWith("network: "))).toHaveLength(6);
  expect(text).toMatch(/network: 295 more hosts were refused$/);
  expect((await call(scene().tool, { command: "true" })).details).not.toHaveProperty("network");
  const reached = Array.from({ length: 300 }, (_, at) => connection(`r${at}.example`));
  const last = connection("no.example", { outcome: "refused", why: "no.example is refused: it is private" });
  const after = await call(scene({ connections: [...reached, last] }).tool, { command: "true" });
  expect(after.text).toMatch(/\n\nnetwork: no\.example is refused: it is private$/);
});

test("BASH23 a failed connection without the proxy is explained with what reaches other hosts", async () => {
  const { text } = await call(scene().tool, { command: "echo 'Could not resolve host'; exit 6" });
  expect(text).toMatch(
    /only programs that use HTTPS_PROXY can reach other hosts, and localhost is the sandbox itself\.$/,
  );
});

test("BASH24 ports are opened before the command, which does not run if that fails", async () => {
  const { tool, opened, acts } = scene();
  expect((await call(tool, { command: "echo on", host_port: 5432, publish_port: "3000" })).text).toBe("on");
  expect(opened).toEqual(["reach 5432", "publish 3000"]);
  const refused = scene({ port: { type: "failed", why: "the user did not permit it" } });
  const { text, isError } = await call(refused.tool, { command: "echo on", host_port: 5432 });
  expect({ text, isError }).toEqual({
    text: "the command did not run: port 5432 on the user's machine: the user did not permit it",
    isError: true,
  });
  expect([acts.length, refused.acts.length]).toEqual([1, 0]);
});

test("BASH25 the tool's description and parameters mention only what the sandbox and the network offer", () => {
  const described = ({ description, parameters }: BashTool): string => description + JSON.stringify(parameters);
  const { tool, plain } = scene();
  for (const word of [
    "a private home folder",
    "localhost is the sandbox",
    "`secrets`",
    "host_port",
    "publish_port",
    "outside",
  ])
    expect(described(tool)).toContain(word);
  expect(described(scene({ network: "off" }).tool)).toContain("They have no network access.");
  expect(described(scene({ network: "off" }).tool)).not.toContain("host_port");
  for (const word of ["sandbox", "host_port", "outside"]) expect(described(plain)).not.toContain(word);
  expect(described(plain)).toContain("secrets");
  expect(described(bashTool(shellIn(folder())))).not.toContain("secret");
  expect(tool.description.length).toBeLessThan(850);
});

test.each(["secrets", "hosts"])("SEC27 a command with too many `%s` is not run", (name) => {
  const many = Array.from({ length: 21 }, (_, at) => `name${at}`);
  const input = { command: "true", secrets: ["npm"], [name]: many };
  expect(parseBashInput(input)).toEqual({ type: "invalid", message: `\`${name}\` can have at most 20 names` });
  expect(parseBashInput({ ...input, [name]: many.slice(1) }).type).toBe("run");
});
