/** Ways to get around each item of a policy. Each does what the policy forbids where there is no policy, so that none is an empty try. */

import { chmodSync } from "node:fs";
import type { Script } from "@pith/testkit";
import { LARGE, SMALL, type World } from "./world.ts";

export interface Attempt {
  readonly item: string;
  readonly way: string;
  readonly policy: (world: World) => object;
  readonly script?: (world: World) => Script;
  /** Before anything counts; without a policy. */
  readonly before?: (world: World) => Promise<unknown>;
  /** What the program said. */
  readonly act: (world: World) => Promise<string>;
  readonly isLoosened: (world: World) => boolean;
  /** Whether somebody asked for it in so many words, so that the refusal names the policy. */
  readonly isTold?: boolean;
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
    isLoosened: ({ models: asked }) => asked.some((model) => !model.startsWith("claude-haiku")),
    isTold: true,
  },
  [
    { way: "--model", act: (world) => world.pith("-p", "--model", LARGE, "hello") },
    {
      way: "PITH_MODEL",
      act: (world) => {
        world.variables = { PITH_MODEL: LARGE };
        return world.pith("-p", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (world) => {
        world.settings({ model: LARGE });
        return world.pith("-p", "hello");
      },
    },
    { way: "the default by key", isTold: false, act: (world) => world.pith("-p", "hello") },
    {
      way: "a model whose name begins alike",
      act: (world) => world.pith("-p", "--model", "anthropic/claude-sonnet-claude-haiku-", "hi"),
    },
    { way: "/model", act: (world) => world.rpc([prompt(`/model ${LARGE}`), prompt()], { args: ["--model", SMALL] }) },
    {
      way: "RPC set_model",
      act: (world) => world.rpc([{ type: "set_model", provider, modelId }, prompt()], { args: ["--model", SMALL] }),
    },
    {
      way: "RPC cycle_model",
      isTold: false,
      act: (world) =>
        world.rpc([{ type: "cycle_model" }, prompt(), { type: "cycle_model" }, prompt()], { args: ["--model", SMALL] }),
    },
    {
      way: "an editor's option",
      act: (world) => {
        world.settings({ model: SMALL });
        return world.acp([["session/set_config_option", { configId: "model", value: LARGE }], say()]);
      },
    },
    {
      way: "the model of a stored session",
      before: (world) => world.pith("-p", "--model", LARGE, "hello"),
      act: (world) => world.pith("-p", "-c", "more"),
    },
    {
      way: "RPC switch_session to a stored session",
      policy: ({ permitted }) => ({ models: { allow: ["anthropic/claude-sonnet-*"], baseUrls: [permitted.url] } }),
      isLoosened: ({ models: asked }) => asked.some((model) => model.startsWith("claude-haiku")),
      before: (world) => world.pith("-p", "--model", SMALL, "hello"),
      act: async (world) => {
        const { sessions } = JSON.parse(await world.pith("sessions", "list", "--json"));
        return await world.rpc([{ type: "switch_session", sessionPath: sessions[0].path }, prompt()]);
      },
    },
    {
      way: "the model of summaries",
      isTold: false,
      script: () => () => "A long answer. ".repeat(400),
      act: (world) => {
        world.settings({ model: SMALL, compaction: { model: LARGE, keepRecentTokens: 100 } });
        return world.rpc([prompt("one"), prompt("two"), prompt("three"), { type: "compact" }]);
      },
    },
    {
      way: "pith compact --model",
      script: () => () => "A long answer. ".repeat(400),
      before: async (world) => {
        world.settings({ compaction: { keepRecentTokens: 100 } });
        await world.rpc([prompt("one"), prompt("two"), prompt("three")], { args: ["--model", SMALL] });
      },
      act: (world) => world.pith("compact", "last", "--model", LARGE),
    },
    {
      way: "the model of an agent",
      act: (world) => {
        world.write("home/.pith/agents/helper.md", agentFile);
        return world.pith("-p", "--agent", "helper", "hello");
      },
    },
    {
      way: "the model of a sub-agent",
      isTold: false,
      script: () => calls("subagent", { agent: "helper", task: "help" }),
      act: (world) => {
        world.write("home/.pith/agents/helper.md", agentFile);
        return world.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "a model that an extension opens",
      isTold: false,
      isLoosened: (world) => world.has("home/opened"),
      act: (world) => {
        const code = `import { writeFileSync } from "node:fs";
export default (pith) => pith.on("before_agent_start", async () => {
  if ((await pith.openModel("${LARGE}")) !== null) writeFileSync(process.env.HOME + "/opened", "");
});`;
        world.write("home/.pith/extensions/open.js", code);
        return world.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "--base-url",
      act: (world) => world.pith("-p", "--model", SMALL, "--base-url", `${world.foreign.url}/v1`, "hi"),
    },
    {
      way: "the variable of an address",
      act: (world) => {
        world.variables = { ANTHROPIC_BASE_URL: world.foreign.url };
        return world.pith("-p", "--model", SMALL, "hello");
      },
    },
    {
      way: "an address in the settings",
      act: (world) => {
        world.settings({ model: SMALL, baseUrl: `${world.foreign.url}/v1` });
        return world.pith("-p", "hello");
      },
    },
    {
      way: "an address whose path only begins alike",
      policy: ({ permitted }) => ({ models: { allow: ["anthropic/*"], baseUrls: [`${permitted.url}/v`] } }),
      isLoosened: ({ models: asked }) => asked.length > 0,
      act: (world) => world.pith("-p", "--model", SMALL, "--base-url", `${world.permitted.url}/v1`, "hello"),
    },
    {
      way: "any server as openai-compatible",
      act: (world) =>
        world.pith("-p", "--model", "openai-compatible/claude-haiku-x", "--base-url", `${world.foreign.url}/v1`, "hi"),
    },
  ],
);

const modes = attempts(
  "permissions.modes",
  {
    policy: () => ({ permissions: { modes: ["plan", "ask"] } }),
    script: () => calls("write", { path: "written.txt", content: "x" }),
    isLoosened: (world) => world.has("work/written.txt"),
    isTold: true,
  },
  [
    { way: "the default", isTold: false, act: (world) => world.pith("-p", "hello") },
    { way: "--permission-mode edit", act: (world) => world.pith("-p", "--permission-mode", "edit", "hello") },
    { way: "--permission-mode all", act: (world) => world.pith("-p", "--permission-mode", "all", "hello") },
    {
      way: "PITH_PERMISSION_MODE",
      act: (world) => {
        world.variables = { PITH_PERMISSION_MODE: "all" };
        return world.pith("-p", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (world) => {
        world.settings({ permissionMode: "all" });
        return world.pith("-p", "hello");
      },
    },
    {
      way: "the settings of a trusted project",
      act: (world) => {
        world.write("work/.pith/settings.json", '{ "permissionMode": "edit" }');
        return world.pith("-p", "--trust", "hello");
      },
    },
    {
      way: "RPC set_permission_mode",
      act: (world) => world.rpc([{ type: "set_permission_mode", mode: "edit" }, prompt()]),
    },
    { way: "/mode", act: (world) => world.rpc([prompt("/mode all"), prompt()]) },
    {
      way: "RPC set_permission_mode before another session",
      act: (world) => world.rpc([{ type: "set_permission_mode", mode: "all" }, { type: "new_session" }, prompt()]),
    },
    { way: "an editor's mode", act: (world) => world.acp([["session/set_mode", { modeId: "edit" }], say()]) },
    {
      way: "an editor's option",
      act: (world) => world.acp([["session/set_config_option", { configId: "mode", value: "all" }], say()]),
    },
    {
      way: "a sub-agent",
      isTold: false,
      script: () => {
        const write = {
          parts: [{ type: "call" as const, name: "write", arguments: { path: "written.txt", content: "x" } }],
        };
        const start = {
          parts: [{ type: "call" as const, name: "subagent", arguments: { agent: "helper", task: "help" } }],
        };
        return ({ number }) => (number === 1 ? start : number === 2 ? write : "Done.");
      },
      act: (world) => {
        world.write("home/.pith/agents/helper.md", agentFile);
        return world.pith("-p", "hello");
      },
    },
  ],
);

const rules = attempts(
  "permissions.deny",
  {
    policy: () => ({ permissions: { deny: ["bash(touch:*)"] } }),
    script: () => calls("bash", { command: "touch made.txt" }),
    isLoosened: (world) => world.has("work/made.txt"),
  },
  [
    {
      way: "mode all and a rule that allows",
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", "bash", "--allow", "bash(touch:*)", "hi"),
    },
    { way: "a yes", act: (world) => world.rpc([prompt()], { args: ["--permission-mode", "ask"], answer: "yes" }) },
    {
      way: "a wrapper around the command",
      script: () => calls("bash", { command: "env touch made.txt" }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", "bash", "hi"),
    },
    {
      way: "the rules of an extension",
      act: (world) => {
        world.write(
          "home/.pith/extensions/rules.js",
          'export default (pith) => pith.registerRules({ allow: ["bash(touch:*)"] });',
        );
        return world.pith("-p", "hello");
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
      act: (world) => {
        world.write("home/.pith/agents/helper.md", agentFile);
        return world.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "without a question, although one is wanted",
      item: "permissions.ask",
      policy: () => ({ permissions: { ask: ["bash(touch:*)"] } }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", "bash(touch:*)", "hi"),
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
const escaping = (world: World): void => {
  world.variables = { ...world.variables, PITH_TEST_HOME: world.home };
};

const sandbox = attempts(
  "sandbox",
  {
    policy: () => ({ sandbox: "required" }),
    script: (world) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", world.home) }),
    isLoosened: (world) => world.has("home/escaped"),
    isTold: true,
  },
  [
    { way: "--sandbox off", act: (world) => world.pith("-p", "--sandbox", "off", "--permission-mode", "all", "hello") },
    {
      way: "PITH_SANDBOX",
      act: (world) => {
        world.variables = { PITH_SANDBOX: "off" };
        return world.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "the user's settings",
      act: (world) => {
        world.settings({ sandbox: "off" });
        return world.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "a command outside, which a rule allows",
      isTold: false,
      script: (world) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", world.home), outside: true }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", "outside", "hello"),
    },
    {
      way: "a command outside, after a yes",
      isTold: false,
      script: (world) => calls("bash", { command: ESCAPE.replace("$PITH_TEST_HOME", world.home), outside: true }),
      act: (world) => world.rpc([prompt()], { args: ["--permission-mode", "all"], answer: "yes" }),
    },
    {
      way: "a bwrap of the user's own",
      act: (world) => {
        chmodSync(world.write("home/bin/bwrap", FAKE_SANDBOX), 0o755);
        world.variables = { PATH: `${world.home}/bin:${process.env.PATH}` };
        return world.pith("-p", "--permission-mode", "all", "hello");
      },
    },
    {
      way: "the sandbox of an MCP server",
      isTold: false,
      act: (world) => {
        escaping(world);
        const args = ["-c", `echo out > ${world.home}/escaped`];
        world.settings({ mcpServers: { any: { command: "/bin/sh", args, sandbox: "off" } } });
        return world.pith("mcp", "trust", "any", "--yes");
      },
    },
  ],
);

const page = ({ port }: World): string => `http://127.0.0.1:${port}/page`;
const visited = (world: World): boolean => world.visits.length > 0;
const nearHosts = (world: World): void => world.settings({ fetchHosts: [`127.0.0.1:${world.port}`] });

const network = [
  ...attempts("network.hosts", { policy: () => ({ network: { hosts: ["example.com"] } }), isLoosened: visited }, [
    {
      way: "fetch, which a rule allows",
      script: (world) => calls("fetch", { url: page(world) }),
      act: (world) => {
        nearHosts(world);
        return world.pith("-p", "--tools", "all", "--allow", "fetch", "--allow", "network(127.0.0.1)", "hello");
      },
    },
    {
      way: "fetch, after a yes",
      script: (world) => calls("fetch", { url: page(world) }),
      act: (world) => {
        nearHosts(world);
        return world.rpc([prompt()], { args: ["--tools", "all"], answer: "yes" });
      },
    },
    {
      way: "--network open",
      script: (world) => calls("fetch", { url: page(world) }),
      act: (world) => {
        nearHosts(world);
        return world.pith("-p", "--tools", "all", "--network", "open", "hello");
      },
    },
    {
      way: "a port of this machine, which a rule allows",
      script: (world) => calls("bash", { command: `curl -s ${page(world)}`, host_port: world.port }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${world.port})`, "hi"),
    },
    {
      way: "a command outside of the sandbox",
      script: (world) => calls("bash", { command: `curl -s ${page(world)}`, outside: true }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--allow", "outside", "hello"),
    },
    {
      way: "--sandbox off",
      isTold: true,
      script: (world) => calls("bash", { command: `curl -s ${page(world)}` }),
      act: (world) => world.pith("-p", "--permission-mode", "all", "--sandbox", "off", "hello"),
    },
    {
      way: "an MCP server at an address",
      isTold: true,
      act: (world) => {
        world.settings({ mcpServers: { web: { url: page(world) } } });
        return world.pith("mcp", "test", "web");
      },
    },
    {
      way: "the hosts of an MCP server",
      act: (world) => {
        const args = ["-c", `curl -s ${page(world)}`];
        const server = { command: "/bin/sh", args, hosts: [`127.0.0.1:${world.port}`, `localhost:${world.port}`] };
        world.settings({ mcpServers: { any: server } });
        return world.pith("mcp", "trust", "any", "--yes");
      },
    },
  ]),
  ...attempts(
    "network.deny",
    {
      policy: () => ({ network: { deny: ["127.0.0.1"] } }),
      isLoosened: visited,
      script: (world) => calls("fetch", { url: page(world) }),
    },
    [
      {
        way: "a rule that allows",
        act: (world) => {
          nearHosts(world);
          return world.pith("-p", "--tools", "all", "--allow", "fetch(127.0.0.1)", "hello");
        },
      },
    ],
  ),
  ...attempts(
    "network.mode",
    {
      policy: () => ({ network: { mode: "off" } }),
      isLoosened: visited,
      script: (world) => calls("bash", { command: `curl -s ${page(world)}`, host_port: world.port }),
      isTold: true,
    },
    [
      {
        way: "--network hosts",
        act: (world) =>
          world.pith(
            "-p",
            "--permission-mode",
            "all",
            "--network",
            "hosts",
            "--allow",
            `network(localhost:${world.port})`,
            "hi",
          ),
      },
      {
        way: "PITH_NETWORK",
        act: (world) => {
          world.variables = { PITH_NETWORK: "open" };
          return world.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${world.port})`, "hi");
        },
      },
      {
        way: "the user's settings",
        act: (world) => {
          world.settings({ network: "on" });
          return world.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${world.port})`, "hi");
        },
      },
      {
        way: "the default",
        isTold: false,
        act: (world) =>
          world.pith("-p", "--permission-mode", "all", "--allow", `network(localhost:${world.port})`, "hi"),
      },
      {
        way: "fetch",
        isTold: false,
        script: (world) => calls("fetch", { url: page(world) }),
        act: (world) => {
          nearHosts(world);
          return world.pith("-p", "--tools", "all", "--allow", "fetch", "hello");
        },
      },
      {
        way: "--network open where hosts are allowed",
        policy: () => ({ network: { mode: "hosts" } }),
        script: (world) => calls("fetch", { url: page(world) }),
        act: (world) => {
          nearHosts(world);
          return world.pith("-p", "--tools", "all", "--network", "open", "hello");
        },
      },
    ],
  ),
];

const loading =
  'import { writeFileSync } from "node:fs"; writeFileSync(process.env.HOME + "/loaded", ""); export default () => {};';
const loaded = (world: World): boolean => world.has("home/loaded");

const extensions = attempts(
  "extensions.allow",
  { policy: () => ({ extensions: { allow: ["/etc/pith-extensions"] } }), isLoosened: loaded, isTold: true },
  [
    {
      way: "a file of the user",
      act: (world) => {
        world.write("home/.pith/extensions/good.js", loading);
        return world.pith("-p", "hello");
      },
    },
    {
      way: "a folder of the user",
      act: (world) => {
        world.write("home/.pith/extensions/etc/pith-extensions/index.js", "");
        world.write("home/.pith/extensions/good/index.js", loading);
        return world.pith("-p", "hello");
      },
    },
    {
      way: "a link to a file of the user",
      act: (world) => {
        const own = world.write("home/own.js", loading);
        world.link(own, "home/.pith/extensions/good.js");
        return world.pith("-p", "hello");
      },
    },
    {
      way: "a file of a trusted project",
      act: (world) => {
        world.write("work/.pith/extensions/good.js", loading);
        return world.pith("-p", "--trust", "hello");
      },
    },
    {
      way: "a package",
      act: (world) => {
        world.write("home/.pith/extensions/package.json", '{ "dependencies": { "good": "1.0.0" } }');
        world.write(
          "home/.pith/extensions/node_modules/good/package.json",
          '{ "pith": { "extension": "./good.js" }, "type": "module" }',
        );
        world.write("home/.pith/extensions/node_modules/good/good.js", loading);
        return world.pith("-p", "hello");
      },
    },
    {
      way: "a folder of the user that the policy names",
      policy: (world) => ({ extensions: { allow: [world.path("home/.pith/extensions")] } }),
      act: (world) => {
        world.write("home/.pith/extensions/good.js", loading);
        return world.pith("-p", "hello");
      },
    },
    {
      way: "pith extensions list",
      act: (world) => {
        world.write("home/.pith/extensions/good.js", loading);
        return world.pith("extensions", "list");
      },
    },
    {
      way: "pith extensions add",
      isLoosened: (world) => world.has("home/.pith/extensions/more.js"),
      act: (world) => {
        const path = world.write("work/more.js", "export default () => {};");
        return world.pith("extensions", "add", "--yes", path);
      },
    },
    {
      way: "an editor",
      isTold: false,
      act: (world) => {
        world.write("home/.pith/extensions/good.js", loading);
        return world.acp([say()]);
      },
    },
  ],
);

const started = (world: World): boolean => world.has("home/started");
const starting = (world: World, more = ""): readonly string[] => ["-c", `echo x > ${world.home}/started${more}`];

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
    isTold: true,
  },
  [
    {
      way: "another name",
      act: (world) => {
        world.settings({ mcpServers: { other: { command: "/bin/sh", args: starting(world), sandbox: "off" } } });
        return world.pith("mcp", "trust", "other", "--yes");
      },
    },
    {
      way: "the name with other arguments",
      act: (world) => {
        world.settings({ mcpServers: { desk: { command: "/bin/sh", args: starting(world), sandbox: "off" } } });
        return world.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name with another program",
      act: (world) => {
        const command = world.write("home/sh", `#!/bin/sh\necho x > ${world.home}/started\n`);
        world.settings({ mcpServers: { desk: { command: "/bin/bash", args: [command], sandbox: "off" } } });
        return world.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name in a trusted project",
      act: async (world) => {
        world.write(
          "work/.mcp.json",
          JSON.stringify({ mcpServers: { desk: { command: "/bin/sh", args: starting(world) } } }),
        );
        world.settings({ sandbox: "off" });
        await world.pith("trust", "--yes");
        return await world.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "a variable beside what is allowed",
      policy: () => ({
        mcp: { allow: [{ name: "desk", command: "/bin/sh", args: ["-c", '. "$START"'], env: ["REGION"] }] },
      }),
      act: (world) => {
        const env = { START: world.write("home/start.sh", `echo x > ${world.home}/started\n`) };
        world.settings({
          mcpServers: { desk: { command: "/bin/sh", args: ["-c", '. "$START"'], env, sandbox: "off" } },
        });
        return world.pith("mcp", "trust", "desk", "--yes");
      },
    },
    {
      way: "the name at another address",
      isLoosened: visited,
      act: (world) => {
        world.settings({ mcpServers: { remote: { url: page(world) } } });
        return world.pith("mcp", "test", "remote");
      },
    },
    {
      way: "a server that an editor brings",
      act: (world) => {
        world.settings({ sandbox: "off" });
        const server = { name: "brought", command: "/bin/sh", args: starting(world), env: [] };
        return world.acp([say("look")], { mcpServers: [server], answer: "yes" });
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
    isLoosened: (world) => world.sent.includes(SECRET),
    isTold: true,
  },
  [
    {
      way: "the user's settings",
      act: (world) => {
        world.settings({ secrets: { redact: "off" } });
        return world.pith("-p", `the key is ${SECRET}`);
      },
    },
    {
      way: "the user's settings, over RPC",
      act: (world) => {
        world.settings({ secrets: { redact: "off" } });
        return world.rpc([prompt(`the key is ${SECRET}`)]);
      },
    },
  ],
);

const auditLog = attempts(
  "auditLog",
  {
    policy: () => ({ auditLog: "required" }),
    script: () => calls("read", { path: "a.txt" }),
    isLoosened: (world) => !world.has("home/.pith/audit"),
    isTold: true,
  },
  [
    {
      way: "the user's settings",
      act: (world) => {
        world.settings({ auditLog: false });
        return world.pith("-p", "what is here?");
      },
    },
    {
      way: "a file in place of its folder",
      isLoosened: (world) => world.models.length > 0,
      act: (world) => {
        world.write("home/.pith/audit", "");
        return world.pith("-p", "what is here?");
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
