/** Tests settings/secrets.ts: keyed digest, secrets learnt again, vault key. */

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionApi, FileReadResult } from "@pith/agent";
import { MemoryStore, Session } from "@pith/context";
import { Vault } from "@pith/context/secrets";
import { testRuntime } from "@pith/context/testing";
import { providers } from "@pith/models";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createSampleSecrets } from "../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import { createMcpExtension } from "../../src/mcp/mcp.ts";
import { findKey } from "../../src/settings/provider-keys.ts";
import {
  createKeyedDigest,
  createVault,
  type RestoreSecretsOptions,
  redactionKeyPath,
  restoreSecrets,
} from "../../src/settings/secrets.ts";

describe("keyed digest", () => {
  let home: string;
  beforeEach(() => {
    home = join(mkdtempSync(join(tmpdir(), "pith-key-")), "home");
  });
  afterEach(() => rmSync(join(home, ".."), { recursive: true }));

  test("SEC4 the redaction key is created at the first secret, readable by its owner only, and shared by all programs", () => {
    const [one, other] = [createKeyedDigest(home), createKeyedDigest(home)];
    expect(existsSync(home)).toBe(false);
    expect(one("a secret")).toBe(other("a secret"));
    expect(one("a secret")).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(redactionKeyPath(home)).mode & 0o777).toBe(0o600);
    expect([readFileSync(redactionKeyPath(home)).length, readdirSync(home)]).toEqual([32, ["redaction.key"]]);
  });

  test("SEC4 a key that others can read is made private; a link and an invalid key are neither used nor changed", () => {
    const first = createKeyedDigest(home)("a secret");
    chmodSync(redactionKeyPath(home), 0o644);
    expect(createKeyedDigest(home)("a secret")).toBe(first);
    expect(statSync(redactionKeyPath(home)).mode & 0o777).toBe(0o600);
    const elsewhere = join(home, "elsewhere");
    writeFileSync(elsewhere, readFileSync(redactionKeyPath(home)));
    rmSync(redactionKeyPath(home));
    symlinkSync(elsewhere, redactionKeyPath(home));
    expect(createKeyedDigest(home)("a secret")).not.toBe(first);
    rmSync(redactionKeyPath(home));
    writeFileSync(redactionKeyPath(home), "short");
    expect(createKeyedDigest(home)("a secret")).not.toBe(first);
    expect(readFileSync(redactionKeyPath(home), "utf8")).toBe("short");
  });
});

describe("secrets learnt again", () => {
  const vault = (): Vault => new Vault({ digest: (value) => Buffer.from(value.slice(-6)).toString("hex") });
  const relearning = (own: Vault, parts: Omit<RestoreSecretsOptions, "mayRead">) =>
    restoreSecrets(own, { ...parts, mayRead: async (path) => !path.includes("closed") });
  const [planted] = createSampleSecrets(1, createSeededRandom(3));
  const text = `key = ${planted?.text}`;

  async function sessionThat(...texts: readonly string[]): Promise<Session> {
    const ports = testRuntime();
    const session = await Session.open(MemoryStore.create(ports), ports);
    for (const each of texts)
      await session.append({
        type: "message",
        message: { role: "user", content: [{ type: "text", text: each }], timestamp: 0 },
      });
    return session;
  }

  function disk(files: Readonly<Record<string, string>>) {
    const read: string[] = [];
    return {
      read: async (path: string): Promise<FileReadResult> => {
        read.push(path);
        const found = files[path];
        return found === undefined ? { type: "missing", message: "no" } : { type: "read", bytes: Buffer.from(found) };
      },
      resolve: (path: string) => `/work/${path}`,
      readPaths: read,
    };
  }

  test("SEC12 the secret of a placeholder is restored from the file of the call, then from files in the session", async () => {
    const redacted = vault().redact(text);
    const session = await sessionThat('<file path="shown.txt">\nx\n</file>');
    const about = disk({ "/work/it.txt": text });
    const input = { path: "it.txt", content: redacted };
    expect(await relearning(vault(), { session, files: about }).restore(input)).toEqual({
      type: "restored",
      value: { ...input, content: text },
    });
    expect(about.readPaths).toEqual(["/work/it.txt"]);
    const shown = disk({ "/work/shown.txt": text });
    expect((await relearning(vault(), { session, files: shown }).restore(input)).type).toBe("restored");
    expect(shown.readPaths).toEqual(["/work/it.txt", "/work/shown.txt"]);
  });

  test("SEC12 no file is read if all placeholders are known, and a placeholder in no file stays unknown", async () => {
    const session = await sessionThat("hello");
    const files = disk({});
    const own = vault();
    const redacted = own.redact(text);
    expect(await relearning(own, { session, files }).restore(redacted)).toEqual({ type: "restored", value: text });
    expect(files.readPaths).toEqual([]);
    expect((await relearning(vault(), { session, files }).restore(redacted)).type).toBe("unknown");
  });

  test("SEC12 a placeholder that is literally in the file of the call stands for itself, and not in another file", async () => {
    const session = await sessionThat('<file path="notes.txt">\nx\n</file>');
    const example = "PITH_SECRET_github_0123456789ab";
    const files = disk({ "/work/docs.md": `see ${example}`, "/work/notes.txt": example });
    const secrets = relearning(vault(), { session, files });
    expect((await secrets.restore({ path: "other.md", content: example })).type).toBe("unknown");
    const input = { path: "docs.md", content: `look at ${example}` };
    expect(await secrets.restore(input)).toEqual({ type: "restored", value: input });
  });

  test("SEC12 writing a literal placeholder to one file does not make it literal in others", async () => {
    const session = await sessionThat("hello");
    const example = "PITH_SECRET_github_0123456789ab";
    const secrets = relearning(vault(), { session, files: disk({ "/work/docs.md": `see ${example}` }) });
    expect((await secrets.restore({ path: "docs.md", content: example })).type).toBe("restored");
    expect((await secrets.restore({ path: "other.md", content: example })).type).toBe("unknown");
  });

  test("SEC12 a file that tools cannot read is not searched for secrets", async () => {
    const session = await sessionThat('<file path="closed/shown.txt">\nx\n</file>');
    const files = disk({ "/work/closed/it.txt": text, "/work/closed/shown.txt": text });
    const input = { path: "closed/it.txt", content: vault().redact(text) };
    expect((await relearning(vault(), { session, files }).restore(input)).type).toBe("unknown");
    expect(files.readPaths).toEqual([]);
  });
});

describe("vault key", () => {
  test("SEC5 any provider key in the key file is a secret", async () => {
    const home = mkdtempSync(join(tmpdir(), "pith-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const key = "our-proxy-7-of-nine";
    writeFileSync(join(home, "keys.json"), JSON.stringify({ openai: key }), { mode: 0o600 });
    const vault = await createVault({ home, environment: {}, settings: {} });
    expect(vault?.redact(`no such key: ${key}`)).toMatch(/^no such key: PITH_SECRET_env_[0-9a-f]{12}$/);
    expect(vault?.takeFindings().map(({ family }) => family)).toEqual(["OPENAI_API_KEY"]);
    expect(await createVault({ home, environment: {}, settings: { secrets: { redact: "off" } } })).toBeNull();
  });

  test("MCP17 variables and headers of MCP servers are secrets by the rules for variables, also for servers from an editor", async () => {
    const home = mkdtempSync(join(tmpdir(), "pith-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const [one, two, three, four, five] = "7-of-nine 8-of-nine 9-of-nine 10-of-them 11-of-them"
      .split(" ")
      .map((each) => `our-proxy-${each}`);
    const mcpServers = {
      hub: { command: "hub", env: { HUB_TOKEN: `${one}`, REGION: "in-the-west-1", TOWN: `${four}` } },
      web: {
        url: `https://example.com/mcp?api_key=${five}`,
        headers: { Authorization: `Bearer ${two}`, "X-Team": "the-writers-7" },
      },
    };
    const environment = { HUB_TOKEN: "another-token-10-of-them" };
    const choices = { mcpServers, secrets: { also: ["TOWN"] } };
    const vault = await createVault({
      ...{ home, environment, settings: choices },
      mcpServers: { brought: { url: "https://example.com", headers: { "x-api-key": `${three}` } } },
    });
    const text = [one, two, three, four, five, environment.HUB_TOKEN, "in-the-west-1", "the-writers-7"].join("\n");
    expect(vault?.redact(text).replace(/PITH_SECRET_env_[0-9a-f]{12}/g, "*")).toBe(
      "*\n*\n*\n*\n*\n*\nin-the-west-1\nthe-writers-7",
    );
  });

  const vaultFor = async (options: Partial<Parameters<typeof createVault>[0]>, saved: object = {}) => {
    const home = mkdtempSync(join(tmpdir(), "pith-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    writeFileSync(join(home, "keys.json"), JSON.stringify(saved), { mode: 0o600 });
    return { home, vault: await createVault({ home, environment: {}, settings: {}, ...options }) };
  };

  describe("SEC31 a key in use is a secret of any form and name", () => {
    const KEY = "correcthorselantern";
    const server = (settings: object) => ({ settings: { mcpServers: { hub: { command: "hub", ...settings } } } });
    const basic = (login: string): string => Buffer.from(login).toString("base64");

    test.each([
      ["of a provider, in the environment", { environment: { GEMINI_API_KEY: KEY } }],
      ["in a proxy's address", { environment: { https_proxy: `http://ada:${KEY}@proxy.example:3128` } }],
      ["in a proxy's address without a scheme", { environment: { ALL_PROXY: `ada:${KEY}@proxy.example:3128` } }],
      ["in the address of a provider", { environment: { ANTHROPIC_BASE_URL: `https://ada:${KEY}@relay.example/v1` } }],
      ["in the base URL of the settings", { settings: { baseUrl: `https://ada:${KEY}@relay.example/v1` } }],
      ["in a server's variable without a telling name", server({ env: { HUB_ACCESS: KEY } })],
      ["in a server's header", server({ headers: { "X-Hub": KEY } })],
      ["in a server's header with a scheme", server({ headers: { "X-Hub": `Bearer ${KEY}` } })],
      ["in a server's cookie", server({ headers: { Cookie: `lang=en; sid=${KEY}` } })],
      ["in a server's basic login", server({ headers: { Authorization: `Basic ${basic(`ada:${KEY}`)}` } })],
      ["in a server's address", server({ command: undefined, url: `https://hub.example/mcp?access=${KEY}` })],
      ["in a server's flag", server({ args: ["--api-key", KEY] })],
      ["in a server's flag with =", server({ args: [`--hub-token=${KEY}`] })],
    ])("if it is known only from its place: %s", async (_, options) => {
      const { vault } = await vaultFor(options);
      expect(vault?.redact(`it is ${KEY}, quoted`)).toMatch(/^it is PITH_SECRET_env_[0-9a-f]{12}, quoted$/);
      expect(vault?.redact(encodeURIComponent(KEY))).not.toContain("horse");
    });

    test("if it is in the key file, even with another value in its variable", async () => {
      const environment = { OPENAI_API_KEY: "another-lantern-7" };
      const { vault } = await vaultFor({ environment }, { openai: KEY });
      expect(vault?.redact(`${KEY} ${environment.OPENAI_API_KEY}`)).toMatch(/^PITH_SECRET_\w+ PITH_SECRET_\w+$/);
    });

    test("if it was saved during the session, once it is used", async () => {
      const { home, vault } = await vaultFor({});
      writeFileSync(join(home, "keys.json"), JSON.stringify({ openai: KEY }), { mode: 0o600 });
      const provider = providers.find(({ id }) => id === "openai");
      expect(provider && (await findKey(provider, { environment: {}, home, vault }))).toMatchObject({ apiKey: KEY });
      expect(vault?.redact(KEY)).toMatch(/^PITH_SECRET_/);
    });

    test("if it belongs to a server that is known only when the session starts", async () => {
      const { home, vault } = await vaultFor({});
      const mcpServers = { hub: { command: "hub", env: { HUB_ACCESS: KEY } } };
      const api = { registerTool: () => {}, on: () => () => {} } as unknown as ExtensionApi;
      await createMcpExtension({
        readVersion: async () => "1.0.0",
        cwd: home,
        home,
        userHome: home,
        environment: {},
        settings: {},
        mcpServers,
        vault,
      })(api);
      expect(vault?.redact(KEY)).toMatch(/^PITH_SECRET_/);
    });

    test("if a proxy gets it in a header, or its password has escapes", async () => {
      const written = "pass%20of%20ada%217";
      const environment = { HTTPS_PROXY: `http://ada:${written}@proxy.example` };
      const { vault } = await vaultFor({ environment });
      for (const text of ["pass of ada!7", written, basic("ada:pass of ada!7")])
        expect(vault?.redact(`(${text})`)).toMatch(/^\(PITH_SECRET_\w+\)$/);
    });

    test("but not if it is a default of local servers, a short value or a plain setting of a server", async () => {
      const words = ["ollama", "lm-studio", "not-needed", "any", "key7", "sk-secret"];
      const env = {
        AWS_REGION: "eu-central-1",
        HUB_HOME: "/srv/hub/data-7",
        HUB_URL: "https://hub.example/x",
        N: "12",
      };
      for (const word of words) {
        const { vault } = await vaultFor({ ...server({ env }), environment: { OPENAI_API_KEY: word } });
        const text = [word, ...Object.values(env), "a kettle"].join(" ");
        expect(vault?.redact(text)).toBe(text);
      }
    });

    test("if it is a shorter password with a digit or a symbol", async () => {
      const password = "kettle7";
      const { vault } = await vaultFor({ environment: { HTTPS_PROXY: `http://ada:${password}@proxy.example` } });
      expect(vault?.redact(`it is ${password}`)).not.toContain(password);
    });
  });
});
