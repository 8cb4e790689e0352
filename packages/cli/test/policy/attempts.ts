/** Ways to get around each item of a policy. Each does what the policy forbids where there is no policy, so that none is an empty try. */

import { chmodSync } from "node:fs";
import type { Script } from "@pith/testkit";
import { type AttemptEnvironment, LARGE, SMALL } from "./attempt-environment.ts";

export interface Attempt {
  readonly item: string;
  readonly way: string;
  readonly policy: (target: AttemptEnvironment) => object;
  readonly script?: (target: AttemptEnvironment) => Script;
  /** Before anything counts; without a policy. */
  readonly before?: (target: AttemptEnvironment) => Promise<unknown>;
  /** What the program said. */
  readonly act: (target: AttemptEnvironment) => Promise<string>;
  readonly isLoosened: (target: AttemptEnvironment) => boolean;
  /** Whether somebody asked for it in so many words, so that the refusal names the policy. */
  readonly namesPolicy?: boolean;
}

type Way = Pick<Attempt, "way" | "act"> & Partial<Attempt>;

function attempts(
  item: string,
  common: Omit<Attempt, "item" | "way" | "act">,
  ways: readonly Way[],
): readonly Attempt[] {
  return ways.map((way) => ({ item, ...common, ...way }));
}

const calls = (name: string, given: object): Script => {
  const call = { parts: [{ type: "call" as const, name, arguments: { ...given } }] };
  return ({ number }) => (number === 1 ? call : "Done.");
};

const prompt = (message = "Go on."): object => ({ type: "prompt", message });
const say = (text = "Go on."): readonly [string, object] => ["session/prompt", { prompt: [{ type: "text", text }] }];
const agentFile = `---\nname: helper\ndescription: helps\nmodel: ${LARGE}\n---\nYou help.\n`;
const [provider = "", modelId = ""] = LARGE.split("/");

const models = attempts(
  "models.allow",
  {
    policy: ({ permitted }) => ({ models: { allow: ["anthropic/claude-haiku-*"], baseUrls: [permitted.url] } }),
    isLoosened: ({ models: requested }) => requested.some((model) => !model.startsWith("claude-haiku")),
    namesPolicy: true,
  },
  [
    { way: "--model", act: (target) => target.pith("-p", "--model", LARGE, "hello") },
    {
      way: "PITH_MODEL",
      act: (target) => {
        target.variables = { PITH_MODEL: LARGE };
        return target.pith("-p", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (target) => {
        target.settings({ model: LARGE });
        return target.pith("-p", "hello");
      },
    },
    { way: "the default by key", namesPolicy: false, act: (target) => target.pith("-p", "hello") },
    {
      way: "a model whose name begins alike",
      act: (target) => target.pith("-p", "--model", "anthropic/claude-sonnet-claude-haiku-", "hi"),
    },
    { way: "/model", act: (target) => target.rpc([prompt(`/model ${LARGE}`), prompt()], { args: ["--model", SMALL] }) },
    {
      way: "RPC set_model",
      act: (target) => target.rpc([{ type: "set_model", provider, modelId }, prompt()], { args: ["--model", SMALL] }),
    },
    {
      way: "RPC cycle_model",
      namesPolicy: false,
      act: (target) =>
        target.rpc([{ type: "cycle_model" }, prompt(), { type: "cycle_model" }, prompt()], {
          args: ["--model", SMALL],
        }),
    },
    {
      way: "an editor's option",
      act: (target) => {
        target.settings({ model: SMALL });
        return target.acp([["session/set_config_option", { configId: "model", value: LARGE }], say()]);
      },
    },
    {
      way: "the model of a stored session",
      before: (target) => target.pith("-p", "--model", LARGE, "hello"),
      act: (target) => target.pith("-p", "-c", "more"),
    },
    {
      way: "RPC switch_session to a stored session",
      policy: ({ permitted }) => ({ models: { allow: ["anthropic/claude-sonnet-*"], baseUrls: [permitted.url] } }),
      isLoosened: ({ models: requested }) => requested.some((model) => model.startsWith("claude-haiku")),
      before: (target) => target.pith("-p", "--model", SMALL, "hello"),
      act: async (target) => {
        const { sessions } = JSON.parse(await target.pith("sessions", "list", "--json"));
        return await target.rpc([{ type: "switch_session", sessionPath: sessions[0].path }, prompt()]);
      },
    },
    {
      way: "the model of summaries",
      namesPolicy: false,
      script: () => () => "A long answer. ".repeat(400),
      act: (target) => {
        target.settings({ model: SMALL, compaction: { model: LARGE, keepRecentTokens: 100 } });
        return target.rpc([prompt("one"), prompt("two"), prompt("three"), { type: "compact" }]);
      },
    },
    {
      way: "pith compact --model",
      script: () => () => "A long answer. ".repeat(400),
      before: async (target) => {
        target.settings({ compaction: { keepRecentTokens: 100 } });
        await target.rpc([prompt("one"), prompt("two"), prompt("three")], { args: ["--model", SMALL] });
      },
      act: (target) => target.pith("compact", "last", "--model", LARGE),
    },
    {
      way: "the model of an agent",
      act: (target) => {
        target.write("home/.pith/agents/helper.md", agentFile);
        return target.pith("-p", "--agent", "helper", "hello");
      },
    },
    {
      way: "the model of a sub-agent",
      namesPolicy: false,
      script: () => calls("subagent", { agent: "helper", task: "help" }),
      act: (target) => {
        target.write("home/.pith/agents/helper.md", agentFile);
        return target.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "a model that an extension opens",
      namesPolicy: false,
      isLoosened: (target) => target.has("home/opened"),
      act: (target) => {
        const code = `import { writeFileSync } from "node:fs";
export default (pith) => pith.on("before_agent_start", async () => {
  if ((await pith.openModel("${LARGE}")) !== null) writeFileSync(process.env.HOME + "/opened", "");
});`;
        target.write("home/.pith/extensions/open.js", code);
        return target.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "--base-url",
      act: (target) => target.pith("-p", "--model", SMALL, "--base-url", `${target.foreign.url}/v1`, "hi"),
    },
    {
      way: "the variable of an address",
      act: (target) => {
        target.variables = { ANTHROPIC_BASE_URL: target.foreign.url };
        return target.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "an address in the settings",
      act: (target) => {
        target.settings({ model: SMALL, baseUrl: `${target.foreign.url}/v1` });
        return target.pith("-p", "hello");
      },
    },
    {
      way: "an address whose path only begins alike",
      policy: ({ permitted }) => ({ models: { allow: ["anthropic/*"], baseUrls: [`${permitted.url}/v`] } }),
      isLoosened: ({ models: requested }) => requested.length > 0,
      act: (target) => target.pith("-p", "--model", SMALL, "--base-url", `${target.permitted.url}/v1`, "hello"),
    },
    {
      way: "any server as openai-compatible",
      act: (target) =>
        target.pith(
          "-p",
          "--model",
          "openai-compatible/claude-haiku-x",
          "--base-url",
          `${target.foreign.url}/v1`,
          "hi",
        ),
    },
  ],
);

const modes = attempts(
  "permissions.modes",
  {
    policy: () => ({ permissions: { modes: ["plan", "ask"] } }),
    script: () => calls("write", { path: "written.txt", content: "x" }),
    isLoosened: (target) => target.has("work/written.txt"),
    namesPolicy: true,
  },
  [
    { way: "the default", namesPolicy: false, act: (target) => target.pith("-p", "hello") },
    { way: "--permission-mode edit", act: (target) => target.pith("-p", "--permission-mode", "edit", "hello") },
    { way: "--permission-mode all", act: (target) => target.pith("-p", "--permission-mode", "all", "hello") },
    {
      way: "PITH_PERMISSION_MODE",
      act: (target) => {
        target.variables = { PITH_PERMISSION_MODE: "all" };
        return target.pith("-p", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (target) => {
        target.settings({ permissionMode: "all" });
        return target.pith("-p", "hello");
      },
    },
    {
      way: "the settings of a trusted project",
      act: (target) => {
        target.write("work/.pith/settings.json", '{ "permissionMode": "edit" }');
        return target.pith("-p", "--trust", "hello");
      },
    },
    {
      way: "RPC set_permission_mode",
      act: (target) => target.rpc([{ type: "set_permission_mode", mode: "edit" }, prompt()]),
    },
    { way: "/mode", act: (target) => target.rpc([prompt("/mode all"), prompt()]) },
    {
      way: "RPC set_permission_mode before another session",
      act: (target) => target.rpc([{ type: "set_permission_mode", mode: "all" }, { type: "new_session" }, prompt()]),
    },
    { way: "an editor's mode", act: (target) => target.acp([["session/set_mode", { modeId: "edit" }], say()]) },
    {
      way: "an editor's option",
      act: (target) => target.acp([["session/set_config_option", { configId: "mode", value: "all" }], say()]),
    },
    {
      way: "a sub-agent",
      namesPolicy: false,
      script: () => {
        const write = {
          parts: [{ type: "call" as const, name: "write", arguments: { path: "written.txt", content: "x" } }],
        };
        const start = {
          parts: [{ type: "call" as const, name: "subagent", arguments: { agent: "helper", task: "help" } }],
        };
        return ({ number }) => (number === 1 ? start : number === 2 ? write : "Done.");
      },
      act: (target) => {
        target.write("home/.pith/agents/helper.md", agentFile);
        return target.pith("-p", "hello");
      },
    },
  ],
);

const rules = attempts(
  "permissions.deny",
  {
    policy: () => ({ permissions: { deny: ["bash(touch:*)"] } }),
    script: () => calls("bash", { command: "touch made.txt" }),
    isLoosened: (target) => target.has("work/made.txt"),
  },
  [
    {
      way: "mode all and a rule that allows",
      act: (target) =>
        target.pith("-p", "--permission-mode", "all", "--allow", "bash", "--allow", "bash(touch:*)", "hi"),
    },
    { way: "a yes", act: (target) => target.rpc([prompt()], { args: ["--permission-mode", "ask"], answer: "yes" }) },
    {
      way: "a wrapper around the command",
      script: () => calls("bash", { command: "env touch made.txt" }),
      act: (target) => target.pith("-p", "--permission-mode", "all", "--allow", "bash", "hi"),
    },
    {
      way: "the rules of an extension",
      act: (target) => {
        target.write(
          "home/.pith/extensions/rules.js",
          'export default (pith) => pith.registerRules({ allow: ["bash(touch:*)"] });',
        );
        return target.pith("-p", "hello");
      },
    },
    {
      way: "a sub-agent",
      script: () => {
        const touch = { parts: [{ type: "call" as const, name: "bash", arguments: { command: "touch made.txt" } }] };
        const start = {
          parts: [{ type: "call" as const, name: "subagent", arguments: { agent: "helper", task: "help" } }],
        };
        return ({ number }) => (number === 1 ? start : number === 2 ? touch : "Done.");
      },
      act: (target) => {
        target.write("home/.pith/agents/helper.md", agentFile);
        return target.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "without a question, although one is wanted",
      item: "permissions.ask",
      policy: () => ({ permissions: { ask: ["bash(touch:*)"] } }),
      act: (target) => target.pith("-p", "--permission-mode", "all", "--allow", "bash(touch:*)", "hi"),
    },
  ],
);

/** Takes the place of the program that makes sandboxes, and makes none. */
const FAKE_SANDBOX = `#!/bin/sh
[ "$1" = --version ] && exec echo bubblewrap 0.11.0
while [ $# -gt 0 ]; do
  case "$1" in /bin/true | bash | /bin/bash | /usr/bin/bash) exec "$@" ;; esac
  shift
done
`;

const ESCAPE = 'echo out > "$PITH_TEST_HOME/escaped"';
const escaping = (target: AttemptEnvironment): void => {
  target.variables = { ...target.variables, PITH_TEST_HOME: target.home };
};

const sandbox = attempts(
  "sandbox",
  {
    policy: () => ({ sandbox: "required" }),
    script: (target) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", target.home) }),
    isLoosened: (target) => target.has("home/escaped"),
    namesPolicy: true,
  },
  [
    {
      way: "--sandbox off",
      act: (target) => target.pith("-p", "--sandbox", "off", "--permission-mode", "all", "hello"),
    },
    {
      way: "PITH_SANDBOX",
      act: (target) => {
        target.variables = { PITH_SANDBOX: "off" };
        return target.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (target) => {
        target.settings({ sandbox: "off" });
        return target.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "a command outside, which a rule allows",
      namesPolicy: false,
      script: (target) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", target.home), outside: true }),
      act: (target) => target.pith("-p", "--permission-mode", "all", "--allow", "outside", "hello"),
    },
    {
      way: "a command outside, after a yes",
      namesPolicy: false,
      script: (target) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", target.home), outside: true }),
      act: (target) => target.rpc([prompt()], { args: ["--permission-mode", "all"], answer: "yes" }),
    },
    {
      way: "a bwrap of the user's own",
      act: (target) => {
        chmodSync(target.write("home/bin/bwrap", FAKE_SANDBOX), 0o755);
        target.variables = { PATH: `${target.home}/bin:${process.env.PATH}` };
        return target.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "the sandbox of an MCP server",
      namesPolicy: false,
      act: (target) => {
        escaping(target);
        const args = ["-c", `echo out > ${target.home}/escaped`];
        target.settings({ mcpServers: { any: { command: "/bin/sh", args, sandbox: "off" } } });
        return target.pith("mcp", "trust", "any", "--yes");
      },
    },
  ],
);

const page = ({ port }: AttemptEnvironment): string => `http://127.0.0.1:${port}/page`;
const visited = (target: AttemptEnvironment): boolean => target.visits.length > 0;
const nearHosts = (target: AttemptEnvironment): void => target.settings({ fetchHosts: [`127.0.0.1:${target.port}`] });

const network = [
  ...attempts("network.hosts", { policy: () => ({ network: { hosts: ["example.com"] } }), isLoosened: visited }, [
    {
      way: "fetch, which a rule allows",
      script: (target) => calls("fetch", { url: page(target) }),
      act: (target) => {
        nearHosts(target);
        return target.pith("-p", "--tools", "all", "--allow", "fetch", "--allow", "network(127.0.0.1)", "hello");
      },
    },
    {
      way: "fetch, after a yes",
      script: (target) => calls("fetch", { url: page(target) }),
      act: (target) => {
        nearHosts(target);
        return target.rpc([prompt()], { args: ["--tools", "all"], answer: "yes" });
      },
    },
    {
      way: "--network open",
      script: (target) => calls("fetch", { url: page(target) }),
      act: (target) => {
        nearHosts(target);
        return target.pith("-p", "--tools", "all", "--network", "open", "hello");
      },
    },
    {
      way: "a port of this machine, which a rule allows",
      script: (target) => calls("bash", { command: `curl -s ${page(target)}`, host_port: target.port }),
      act: (target) =>
        target.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${target.port})`, "hi"),
    },
    {
      way: "a command outside of the sandbox",
      script: (target) => calls("bash", { command: `curl -s ${page(target)}`, outside: true }),
      act: (target) => target.pith("-p", "--permission-mode", "all", "--allow", "outside", "hello"),
    },
    {
      way: "--sandbox off",
      namesPolicy: true,
      script: (target) => calls("bash", { command: `curl -s ${page(target)}` }),
      act: (target) => target.pith("-p", "--permission-mode", "all", "--sandbox", "off", "hello"),
    },
    {
      way: "an MCP server at an address",
      namesPolicy: true,
      act: (target) => {
        target.settings({ mcpServers: { web: { url: page(target) } } });
        return target.pith("mcp", "test", "web");
      },
    },
    {
      way: "the hosts of an MCP server",
      act: (target) => {
        const args = ["-c", `curl -s ${page(target)}`];
        const server = { command: "/bin/sh", args, hosts: [`127.0.0.1:${target.port}`, `localhost:${target.port}`] };
        target.settings({ mcpServers: { any: server } });
        return target.pith("mcp", "trust", "any", "--yes");
      },
    },
  ]),
  ...attempts(
    "network.deny",
    {
      policy: () => ({ network: { deny: ["127.0.0.1"] } }),
      isLoosened: visited,
      script: (target) => calls("fetch", { url: page(target) }),
    },
    [
      {
        way: "a rule that allows",
        act: (target) => {
          nearHosts(target);
          return target.pith("-p", "--tools", "all", "--allow", "fetch(127.0.0.1)", "hello");
        },
      },
    ],
  ),
  ...attempts(
    "network.mode",
    {
      policy: () => ({ network: { mode: "off" } }),
      isLoosened: visited,
      script: (target) => calls("bash", { command: `curl -s ${page(target)}`, host_port: target.port }),
      namesPolicy: true,
    },
    [
      {
        way: "--network hosts",
        act: (target) =>
          target.pith(
            "-p",
            "--permission-mode",
            "all",
            "--network",
            "hosts",
            "--allow",
            `network(localhost:${target.port})`,
            "hi",
          ),
      },
      {
        way: "PITH_NETWORK",
        act: (target) => {
          target.variables = { PITH_NETWORK: "open" };
          return target.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${target.port})`, "hi");
        },
      },
      {
        way: "the user's settings",
        act: (target) => {
          target.settings({ network: "on" });
          return target.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${target.port})`, "hi");
        },
      },
      {
        way: "the default",
        namesPolicy: false,
        act: (target) =>
          target.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${target.port})`, "hi"),
      },
      {
        way: "fetch",
        namesPolicy: false,
        script: (target) => calls("fetch", { url: page(target) }),
        act: (target) => {
          nearHosts(target);
          return target.pith("-p", "--tools", "all", "--allow", "fetch", "hello");
        },
      },
      {
        way: "--network open where hosts are allowed",
        policy: () => ({ network: { mode: "hosts" } }),
        script: (target) => calls("fetch", { url: page(target) }),
        act: (target) => {
          nearHosts(target);
          return target.pith("-p", "--tools", "all", "--network", "open", "hello");
        },
      },
    ],
  ),
];

const loading =
  'import { writeFileSync } from "node:fs"; writeFileSync(process.env.HOME + "/loaded", ""); export default () => {};';
const loaded = (target: AttemptEnvironment): boolean => target.has("home/loaded");

const extensions = attempts(
  "extensions.allow",
  { policy: () => ({ extensions: { allow: ["/etc/pith-extensions"] } }), isLoosened: loaded, namesPolicy: true },
  [
    {
      way: "a file of the user",
      act: (target) => {
        target.write("home/.pith/extensions/good.js", loading);
        return target.pith("-p", "hello");
      },
    },
    {
      way: "a folder of the user",
      act: (target) => {
        target.write("home/.pith/extensions/etc/pith-extensions/index.js", "");
        target.write("home/.pith/extensions/good/index.js", loading);
        return target.pith("-p", "hello");
      },
    },
    {
      way: "a link to a file of the user",
      act: (target) => {
        const own = target.write("home/own.js", loading);
        target.link(own, "home/.pith/extensions/good.js");
        return target.pith("-p", "hello");
      },
    },
    {
      way: "a file of a trusted project",
      act: (target) => {
        target.write("work/.pith/extensions/good.js", loading);
        return target.pith("-p", "--trust", "hello");
      },
    },
    {
      way: "a package",
      act: (target) => {
        target.write("home/.pith/extensions/package.json", '{ "dependencies": { "good": "1.0.0" } }');
        target.write(
          "home/.pith/extensions/node_modules/good/package.json",
          '{ "pith": { "extension": "./good.js" }, "type": "module" }',
        );
        target.write("home/.pith/extensions/node_modules/good/good.js", loading);
        return target.pith("-p", "hello");
      },
    },
    {
      way: "a folder of the user that the policy names",
      policy: (target) => ({ extensions: { allow: [target.path("home/.pith/extensions")] } }),
      act: (target) => {
        target.write("home/.pith/extensions/good.js", loading);
        return target.pith("-p", "hello");
      },
    },
    {
      way: "pith extensions list",
      act: (target) => {
        target.write("home/.pith/extensions/good.js", loading);
        return target.pith("extensions", "list");
      },
    },
    {
      way: "pith extensions add",
      isLoosened: (target) => target.has("home/.pith/extensions/more.js"),
      act: (target) => {
        const path = target.write("work/more.js", "export default () => {};");
        return target.pith("extensions", "add", "--yes", path);
      },
    },
    {
      way: "an editor",
      namesPolicy: false,
      act: (target) => {
        target.write("home/.pith/extensions/good.js", loading);
        return target.acp([say()]);
      },
    },
  ],
);

const started = (target: AttemptEnvironment): boolean => target.has("home/started");
const starting = (target: AttemptEnvironment, more = ""): readonly string[] => [
  "-c",
  `echo x > ${target.home}/started${more}`,
];

const servers = attempts(
  "mcp.allow",
  {
    policy: () => ({
      mcp: {
        allow: [
          { name: "desk", command: "/bin/sh", args: ["-c", "exit 0"] },
          { name: "remote", url: "https://mcp.example.com/v1/*" },
        ],
      },
    }),
    isLoosened: started,
    namesPolicy: true,
  },
  [
    {
      way: "another name",
      act: (target) => {
        target.settings({ mcpServers: { other: { command: "/bin/sh", args: starting(target), sandbox: "off" } } });
        return target.pith("mcp", "trust", "other", "--yes");
      },
    },
    {
      way: "the name with other arguments",
      act: (target) => {
        target.settings({ mcpServers: { desk: { command: "/bin/sh", args: starting(target), sandbox: "off" } } });
        return target.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name with another program",
      act: (target) => {
        const command = target.write("home/sh", `#!/bin/sh\necho x > ${target.home}/started\n`);
        target.settings({ mcpServers: { desk: { command: "/bin/bash", args: [command], sandbox: "off" } } });
        return target.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name in a trusted project",
      act: async (target) => {
        target.write(
          "work/.mcp.json",
          JSON.stringify({ mcpServers: { desk: { command: "/bin/sh", args: starting(target) } } }),
        );
        target.settings({ sandbox: "off" });
        await target.pith("trust", "--yes");
        return await target.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "a variable beside what is allowed",
      policy: () => ({
        mcp: { allow: [{ name: "desk", command: "/bin/sh", args: ["-c", '. "$START"'], env: ["REGION"] }] },
      }),
      act: (target) => {
        const env = { START: target.write("home/start.sh", `echo x > ${target.home}/started\n`) };
        target.settings({
          mcpServers: { desk: { command: "/bin/sh", args: ["-c", '. "$START"'], env, sandbox: "off" } },
        });
        return target.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name at another address",
      isLoosened: visited,
      act: (target) => {
        target.settings({ mcpServers: { remote: { url: page(target) } } });
        return target.pith("mcp", "test", "remote");
      },
    },
    {
      way: "a server that an editor brings",
      act: (target) => {
        target.settings({ sandbox: "off" });
        const server = { name: "brought", command: "/bin/sh", args: starting(target), env: [] };
        return target.acp([say("look")], { mcpServers: [server], answer: "yes" });
      },
      script: () => calls("mcp_find", { query: "anything" }),
    },
  ],
);

const SECRET = ["sk", "ant", "api03", "k".repeat(40)].join("-");

const secrets = attempts(
  "secrets.redact",
  {
    policy: () => ({ secrets: { redact: "required" } }),
    isLoosened: (target) => target.sent.includes(SECRET),
    namesPolicy: true,
  },
  [
    {
      way: "the user's settings",
      act: (target) => {
        target.settings({ secrets: { redact: "off" } });
        return target.pith("-p", `the key is ${SECRET}`);
      },
    },
    {
      way: "the user's settings, over RPC",
      act: (target) => {
        target.settings({ secrets: { redact: "off" } });
        return target.rpc([prompt(`the key is ${SECRET}`)]);
      },
    },
  ],
);

const auditLog = attempts(
  "auditLog",
  {
    policy: () => ({ auditLog: "required" }),
    script: () => calls("read", { path: "a.txt" }),
    isLoosened: (target) => !target.has("home/.pith/audit"),
    namesPolicy: true,
  },
  [
    {
      way: "the user's settings",
      act: (target) => {
        target.settings({ auditLog: false });
        return target.pith("-p", "what is here?");
      },
    },
    {
      way: "a file in place of its folder",
      isLoosened: (target) => target.models.length > 0,
      act: (target) => {
        target.write("home/.pith/audit", "");
        return target.pith("-p", "what is here?");
      },
    },
  ],
);

export const allAttempts: readonly Attempt[] = [
  ...auditLog,
  ...models,
  ...modes,
  ...rules,
  ...sandbox,
  ...network,
  ...extensions,
  ...servers,
  ...secrets,
];
