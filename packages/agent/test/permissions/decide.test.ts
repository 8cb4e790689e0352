/** Tests decisions for every mode, action and rule. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type PermissionMode, type Rules } from "../../src/permissions/decide.ts";
import type { Intent } from "../../src/tool.ts";
import {
  act,
  change,
  command,
  connected,
  fetched,
  look,
  outside,
  permissionPaths,
  port,
  rule,
  rules,
  secretly,
  sight,
} from "../support/permission-requests.ts";

const modes = ["ask", "edit", "plan", "all"] as const;
const home = "/home/ann";
const root = `${home}/project`;

interface Row {
  readonly what: string;
  readonly intents: readonly (Intent | null)[];
  /** In the order of the modes. */
  readonly stances: string;
}

const rows: readonly Row[] = [
  {
    what: "a look",
    stances: "allowed allowed allowed allowed",
    intents: [look(`${root}/a.ts`), look("/etc/hosts"), look()],
  },
  {
    what: "a look into the workspace's own .env",
    stances: "allowed allowed allowed allowed",
    intents: [look(`${root}/.env`), look(`${root}/.npmrc`), look(`${root}/.config`)],
  },
  {
    what: "a look at secrets",
    stances: "asked asked asked asked",
    intents: [
      look(`${home}/.ssh/config`),
      look(`${home}/.SSH/config`),
      look("/root/.ssh/id_ed25519"),
      look(`${home}/.gnupg`),
      look(`${home}/.aws/credentials`),
      look(`${home}/.config/gcloud/credentials.db`),
      look(`${home}/.config`),
      look(`${home}/.kube/config`),
      look(`${home}/.mozilla/firefox/x/logins.json`),
      look(`${home}/Library/Application Support/Google/Chrome/Default/Cookies`),
      look(`${home}/other/.env`),
      look(`${home}/other/.env.local`),
      look(`${home}/.npmrc`),
      look("/etc/shadow"),
      look("/etc/sudoers.d/x"),
      look(`${home}/.pith`),
      look(`${root}/a.ts`, `${home}/.ssh/config`),
    ],
  },
  {
    what: "a look at the keys",
    stances: "refused refused refused refused",
    intents: [
      look(`${home}/.pith/keys.json`),
      look("/proc/1/environ"),
      look("/proc/self/task/7/environ"),
      look("/proc/7/mem"),
      look("/proc/self/fd/3"),
      look("/proc/7/task/8/fd/3"),
    ],
  },
  {
    what: "a change in the workspace or the temporary folder",
    stances: "asked allowed refused allowed",
    intents: [
      change(`${root}/src/a.ts`),
      change("/tmp/x"),
      change(`${root}/.gitignore`),
      change(`${root}/.github/x.yml`),
    ],
  },
  {
    what: "a change of a protected place",
    stances: "asked asked refused asked",
    intents: [
      change(`${root}/.git/hooks/pre-commit`),
      change(`${root}/.GIT/config`),
      change(`${root}/sub/.git/config`),
      change(`${root}/.git`),
      change(`${root}/.pith/settings.json`),
      change(`${root}/.vscode/tasks.json`),
      change(`${root}/.idea/x`),
      change(`${root}/.claude/settings.json`),
      change(`${root}/.codex/x`),
      change(`${root}/.bashrc`),
      change(`${root}/.zshenv`),
      change(`${root}/.ssh/authorized_keys`),
      change(`${root}/a.ts`, `${root}/.git/config`),
      change("/tmp/other/.git/hooks/post-checkout"),
      change("/tmp/.vscode/tasks.json"),
    ],
  },
  {
    what: "a change elsewhere",
    stances: "asked asked refused asked",
    intents: [change(`${home}/x`), change("/etc/hosts"), change(`${root}-2/x`), change("/tmpx"), change(home)],
  },
  {
    what: "a change of what decides",
    stances: "refused refused refused refused",
    intents: [
      change(`${home}/.pith/settings.json`),
      change(`${home}/.pith/permissions.json`),
      change(`${home}/.pith/keys.json`),
      change(`${root}/a.ts`, `${home}/.pith/settings.json`),
    ],
  },
  { what: "a confined command", stances: "asked allowed allowed allowed", intents: [command("make", true)] },
  { what: "a free command", stances: "asked asked refused allowed", intents: [command("make")] },
  { what: "a command that leaves the sandbox", stances: "asked asked refused asked", intents: [outside("make")] },
  {
    what: "a command that acts on a remote",
    stances: "asked asked refused allowed",
    intents: [command("git push", true)],
  },
  { what: "a fetch", stances: "asked asked asked asked", intents: [fetched("https://example.com/")] },
  { what: "a connection", stances: "asked asked refused asked", intents: [connected("example.com")] },
  {
    what: "a connection to a package host",
    stances: "asked allowed refused allowed",
    intents: [connected("example.com", { isPackageHost: true })],
  },
  { what: "a port of the machine", stances: "asked asked refused asked", intents: [port(5432, "host")] },
  { what: "a port of the sandbox", stances: "asked asked refused asked", intents: [port(3000, "publish")] },
  { what: "nothing", stances: "allowed allowed allowed allowed", intents: [{ type: "nothing" }] },
  { what: "what nobody knows", stances: "asked asked refused allowed", intents: [null, change()] },
];

const cases = rows.flatMap(({ what, intents, stances }) =>
  intents.flatMap((intent) =>
    modes.map((mode, at) => ({
      what,
      intent,
      mode,
      stance: stances.split(" ")[at] ?? "",
      shown: JSON.stringify(intent),
    })),
  ),
);

const decided = (intent: Intent | null, mode: PermissionMode, some: Rules = rules({})) =>
  decide(sight(act(intent)), { mode, rules: some, paths: permissionPaths }).type;

/** Bare rules, which count for whatever a tool is called with. */
const bare = ["read", "edit", "bash", "outside", "fetch", "network", "publish", "own"];
/** Rules that name what the cases are about. */
const named = [
  ...["read(/**)", "edit(/**)", "bash(make)", "bash(git push)", "outside(make)", "fetch(example.com)", "own"],
  ...["network(example.com)", "network(localhost:5432)", "publish(3000)"],
];

describe("PERM1 without a rule, the mode and the action decide", () => {
  test.each(cases)("$what in $mode: $stance ($shown)", ({ intent, mode, stance }) => {
    expect(decided(intent, mode)).toBe(stance);
  });

  /** Files that a program runs, or whose settings it trusts. */
  const trustedFiles = [
    ...[".githooks/pre-commit", ".husky/pre-push", ".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".gitconfig"],
    ...[".agents/skills/x/SKILL.md", ".claude/settings.json", ".codex/config.toml", ".cursor/mcp.json"],
    ...[".gemini/settings.json", ".opencode/plugin/x.ts", ".pi/settings.json", ".pith/settings.json", ".mcp.json"],
    ...[".idea/workspace.xml", ".vscode/tasks.json", ".zed/tasks.json", ".envrc", ".exrc", ".vimrc", ".inputrc"],
    ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"],
    ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc"],
    ".config/fish/config.fish",
  ];

  test("PERM1 changing a file that another program runs or trusts needs a question, in any folder", () => {
    const paths = trustedFiles.flatMap((name) => [`${root}/${name}`, `${root}/sub/${name}`, `/tmp/${name}`]);
    expect(paths.filter((path) => decided(change(path), "edit") !== "asked")).toEqual([]);
    const others = paths.map((path) => path.replaceAll("/.", "/x."));
    expect(others.filter((path) => decided(change(path), "edit") !== "allowed")).toEqual([]);
  });

  /** Secret wherever they are; the others only outside the workspace. */
  const secretFiles = [
    ...[".ssh/id_rsa", ".gnupg/x.key", ".aws/credentials", ".azure/x.json", ".kube/config", ".config/gcloud/x.db"],
    ...[".config/gh/hosts.yml", ".config/op/config", ".docker/config.json", ".password-store/a.gpg", ".vault-token"],
    ...[".local/share/keyrings/x", ".git-credentials", ".config/git/credentials", ".claude/.credentials.json"],
    ...[".codex/auth.json", ".pi/agent/auth.json", ".local/share/opencode/auth.json", ".mozilla/firefox/x"],
    ...[".config/google-chrome/x", ".config/chromium/x", ".config/BraveSoftware/x", ".config/microsoft-edge/x"],
    ...["Library/Keychains/x", "Library/Cookies/x", "Library/Safari/x"],
    ...["Google/Chrome", "Firefox", "BraveSoftware"].map((name) => `Library/Application Support/${name}/x`),
  ];
  const loginFiles = [
    ...[".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".yarnrc.yml", ".cargo/credentials", ".env", ".env.local"],
    ...[".cargo/credentials.toml", ".gem/credentials", ".terraform.d/credentials.tfrc.json"],
  ];
  const systemFiles = [
    ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d/x", "ssl/private/x"].map(
      (name) => `/etc/${name}`,
    ),
  ];

  test("PERM1 reading a secret needs a question", () => {
    const inHome = [...secretFiles, ...loginFiles].map((name) => `${home}/${name}`);
    const inWorkspace = secretFiles.map((name) => `${root}/${name}`);
    const searched = [`${home}/.config`, `${home}/Library/Application Support`];
    const secrets = [...inHome, ...inWorkspace, ...searched, ...systemFiles];
    expect(secrets.filter((path) => decided(look(path), "all") !== "asked")).toEqual([]);
    const ofProject = loginFiles.map((name) => `${root}/${name}`);
    expect(ofProject.filter((path) => decided(look(path), "ask") !== "allowed")).toEqual([]);
    expect(inWorkspace.filter((path) => decided(change(path), "edit") !== "asked")).toEqual([]);
  });

  test("PERM33 mode all without a sandbox asks neither about files elsewhere nor about pages", () => {
    const free = [change(`${home}/x`), change(`${root}/.git/config`), fetched("https://example.com/")];
    for (const intent of free) {
      const options = { mode: "all", rules: rules({}), paths: permissionPaths } as const;
      expect(decide(sight(act(intent)), options).type).toBe("asked");
      expect(decide(sight(act(intent)), { ...options, paths: { ...permissionPaths, hasSandbox: false } }).type).toBe(
        "allowed",
      );
    }
  });

  test("a path that cannot be resolved is an unknown action", () => {
    const lost = { toolRequest: act(look("/x/circle")), resolvedPaths: [{ path: "/x/circle", realPath: null }] };
    expect(modes.map((mode) => decide(lost, { mode, rules: rules({}), paths: permissionPaths }).type)).toEqual(
      "asked asked refused allowed".split(" "),
    );
  });

  test("a link counts as its target, and also as its own path if that is a secret", () => {
    const through = {
      toolRequest: act(look(`${root}/innocent/id`)),
      resolvedPaths: [{ path: `${root}/innocent/id`, realPath: `${home}/.ssh/id` }],
    };
    const dotfile = {
      toolRequest: act(look(`${home}/.ssh/config`)),
      resolvedPaths: [{ path: `${home}/.ssh/config`, realPath: "/data/dots/ssh" }],
    };
    for (const each of [through, dotfile])
      expect(decide(each, { mode: "all", rules: rules({}), paths: permissionPaths }).type).toBe("asked");
  });
});

describe("PERM2 deny wins over ask, ask over allow, and rules over the mode", () => {
  test.each(cases)("$what in $mode ($shown)", ({ intent, mode, stance }) => {
    expect(decided(intent, mode, rules({ deny: bare, ask: bare, allow: named }))).toBe("refused");
    expect(decided(intent, mode, rules({ ask: bare, allow: named }))).toBe(stance === "refused" ? "refused" : "asked");
    const isNameless = intent?.type === "change" && intent.paths.length === 0;
    expect(decided(intent, mode, rules({ allow: named }))).toBe(stance === "asked" && !isNameless ? "allowed" : stance);
  });
});

describe("PERM3 an allow rule applies only to what it names", () => {
  test("no rule allows what plan mode refuses and what is always refused", () => {
    const refused = cases.filter(({ stance }) => stance === "refused");
    const most = rules({
      allow: [...bare, ...named, "edit(/home/ann/.pith/settings.json)", "read(~/.pith/keys.json)"],
    });
    expect(refused.filter(({ intent, mode }) => decided(intent, mode, most) !== "refused")).toEqual([]);
  });

  test("a rule without a path allows no secret, no protected path and nothing outside", () => {
    const delicate = [look(`${home}/.ssh/config`), change(`${root}/.git/config`), change(`${home}/x`)];
    const mixed = [change(`${root}/a`, `${root}/.git/config`), change(`${root}/a`, "/etc/hosts")];
    for (const intent of [...delicate, ...mixed]) expect(decided(intent, "ask", rules({ allow: bare }))).toBe("asked");
    expect(decided(change(`${root}/a`), "ask", rules({ allow: bare }))).toBe("allowed");
  });

  test("PERM22 an allow rule on a command does not apply outside the sandbox; a deny rule does", () => {
    for (const allow of [["bash"], ["bash(make)"], ["bash(make:*)"], ["outside(make test)"]])
      expect(decided(outside("make"), "edit", rules({ allow }))).toBe("asked");
    for (const allow of [["outside"], ["outside(make)"], ["outside(make:*)"]]) {
      expect(decided(outside("make"), "edit", rules({ allow }))).toBe("allowed");
      expect(decided(command("make"), "edit", rules({ allow }))).toBe("asked");
      expect(decided(command("make", true), "ask", rules({ allow }))).toBe("asked");
    }
    expect(decided(outside("make"), "all", rules({ deny: ["bash(make)"] }))).toBe("refused");
    expect(decided(outside("make"), "all", rules({ deny: ["outside"] }))).toBe("refused");
    expect(decided(command("make", true), "all", rules({ deny: ["outside"] }))).toBe("allowed");
  });

  test("PERM28 allowing all commands does not allow one that acts on a remote service", () => {
    const push = command("git push origin main", true);
    expect(decided(push, "edit", rules({ allow: ["bash"] }))).toBe("asked");
    expect(decided(push, "edit", rules({ allow: ["bash(git push:*)"] }))).toBe("allowed");
    expect(decided(push, "plan", rules({ allow: ["bash(git push:*)"] }))).toBe("refused");
  });

  test("PERM27 a port is allowed only by its number, and not by rules on hosts", () => {
    for (const allow of [["network"], ["publish"], ["bash"], ["network(localhost)"], ["network(localhost:1)"]])
      expect(decided(port(5432, "host"), "edit", rules({ allow }))).toBe("asked");
    expect(decided(port(5432, "publish"), "edit", rules({ allow: ["network(localhost:5432)"] }))).toBe("asked");
    expect(decided(port(5432, "publish"), "edit", rules({ allow: ["publish"] }))).toBe("asked");
    expect(decided(port(5432, "publish"), "edit", rules({ allow: ["publish(5432)"] }))).toBe("allowed");
    expect(decided(port(5432, "host"), "all", rules({ deny: ["network"] }))).toBe("refused");
  });

  test("PERM27 network rules apply to commands and to fetch, fetch rules only to fetch", () => {
    const page = fetched("https://example.com/x");
    const connection = connected("example.com");
    expect([page, connection].map((each) => decided(each, "edit", rules({ allow: ["network(example.com)"] })))).toEqual(
      ["allowed", "allowed"],
    );
    expect([page, connection].map((each) => decided(each, "edit", rules({ allow: ["fetch(example.com)"] })))).toEqual([
      "allowed",
      "asked",
    ]);
    const denied = rules({ allow: ["fetch", "network"], deny: ["network(*.example.com)"] });
    const below = [fetched("https://a.example.com/"), connected("a.example.com"), connected("example.com")];
    expect(below.map((each) => decided(each, "all", denied))).toEqual(["refused", "refused", "allowed"]);
    expect(decided(connected("example.com"), "all", rules({ allow: ["bash", "bash(npm install)"] }))).toBe("asked");
    expect(decided(connected("example.com"), "all", rules({ allow: ["network"], deny: ["bash(npm install)"] }))).toBe(
      "allowed",
    );
  });

  test("PERM27 a host matches in every spelling, also an address", () => {
    const allow = ["network(Example.com)", "network([::1])", "network(*.internal)"];
    const hosts = ["EXAMPLE.com", "::1", "a.internal", "internal", "example.com.evil"];
    expect(hosts.map((host) => decided(connected(host), "edit", rules({ allow })))).toEqual(
      "allowed allowed allowed asked asked".split(" "),
    );
  });

  test("PERM29 a command with a secret needs a question in any mode and with any rule; plan mode refuses it", () => {
    const intent = secretly("npm publish", ["npm"], ["example.com"]);
    const most = rules({ allow: [...bare, ...named, "bash(npm publish)", "bash(npm publish:*)"] });
    expect(modes.map((mode) => decided(intent, mode, most))).toEqual("asked asked refused asked".split(" "));
  });

  test("PERM29 a denied host is also denied to a command with secrets", () => {
    const intent = secretly("npm publish", ["npm"], ["a.example.com"]);
    for (const deny of ["network", "network(*.example.com)"])
      expect(decided(intent, "all", rules({ deny: [deny] }))).toBe("refused");
    expect(decided(secretly("npm publish", ["npm"], []), "all", rules({ deny: ["network"] }))).toBe("asked");
  });

  test("every path of a call needs a rule", () => {
    const some = rules({ allow: ["edit(src/**)", "edit(docs)"] });
    expect(decided(change(`${root}/src/a`, `${root}/docs/b`), "ask", some)).toBe("allowed");
    expect(decided(change(`${root}/src/a`, `${root}/b`), "ask", some)).toBe("asked");
  });

  test("a repeated call needs a question in every mode, unless it is refused", () => {
    const again = modes.map((mode) => {
      const judged = sight(act(command("make", true), { isAgain: true }));
      return decide(judged, { mode, rules: rules({ allow: ["bash", "bash(make)"] }), paths: permissionPaths });
    });
    expect(again).toEqual(modes.map(() => ({ type: "asked", action: "command-confined", reason: "again" })));
    const denied = sight(act(command("make"), { isAgain: true }));
    expect(decide(denied, { mode: "all", rules: rules({ deny: ["bash(make)"] }), paths: permissionPaths }).type).toBe(
      "refused",
    );
  });
});

describe("PERM4 deny and ask rules only restrict", () => {
  const texts = [
    ...bare,
    ...named,
    "bash(rm:*)",
    "bash(git push:*)",
    "edit(src/**)",
    "read(~/.ssh)",
    "fetch(*.example.com)",
  ];
  const some = fc.subarray(texts.map(rule));
  const standings = fc.record({ allow: some, ask: some, deny: some });
  const intents = fc.oneof(
    fc.constantFrom(...cases.map(({ intent }) => intent)),
    fc
      .constantFrom("rm -rf /", "git status; rm x", "echo $(rm x)", "$X y", "'", "sudo rm", "make")
      .map((line) => command(line)),
    fc.string().map((line) => command(line, true)),
  );
  const strictness = { allowed: 0, asked: 1, refused: 2 };

  test("one more deny or ask rule never allows anything new", () => {
    const more = fc.constantFrom(...texts.map(rule));
    fc.assert(
      fc.property(
        intents,
        fc.constantFrom(...modes),
        standings,
        more,
        fc.constantFrom("deny" as const, "ask" as const),
        (intent, mode, held, one, effect) => {
          const before = decided(intent, mode, held);
          const after = decided(intent, mode, { ...held, [effect]: [...held[effect], one] });
          expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
