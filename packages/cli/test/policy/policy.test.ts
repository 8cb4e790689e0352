/** Tests policy/: places of the file, parsing, patterns of models, addresses, hosts and servers, and narrowed settings. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Permissions } from "@pith/agent";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FoundExtension } from "../../../host/src/extensions/extension-files.ts";
import { applyPolicy } from "../../../host/src/policy/apply-policy.ts";
import { parsePolicy, policyTable } from "../../../host/src/policy/parse-policy.ts";
import {
  buildPolicyLimits,
  buildPolicyRules,
  filterExtensions,
  getHostRefusal,
  getServerRefusal,
} from "../../../host/src/policy/permitted-parts.ts";
import { findNearestMode, getBaseUrlRefusal, getModelRefusal, type Policy } from "../../../host/src/policy/policy.ts";
import {
  getPolicyLocation,
  isWritableOnlyByOwner,
  type PolicyLocation,
  readPolicy,
} from "../../../host/src/policy/policy-file.ts";
import { loadSettings } from "../../src/settings/resolve.ts";
import { codeBlocks } from "../support/code-blocks.ts";

const of = (policy: Omit<Policy, "path">): Policy => ({ ...policy, path: "/etc/pith/policy.json" });

/** As if this user were root, and the temporary folder the whole disk. */
function placed(text: string): PolicyLocation {
  const top = mkdtempSync(join(tmpdir(), "pith-policy-file-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  mkdirSync(join(top, "pith"), { mode: 0o755 });
  writeFileSync(join(top, "pith/policy.json"), text, { mode: 0o644 });
  return { path: join(top, "pith/policy.json"), ownerId: process.getuid?.() ?? null, topFolder: top };
}

test("POL3 each operating system has one policy path", () => {
  expect(getPolicyLocation("linux")).toEqual({ path: "/etc/pith/policy.json", ownerId: 0, topFolder: "/" });
  expect(getPolicyLocation("darwin").path).toBe("/Library/Application Support/Pith/policy.json");
  expect(getPolicyLocation("win32")).toMatchObject({ path: "C:\\ProgramData\\Pith\\policy.json", ownerId: null });
});

test("POL3 a policy file is read, a missing one is no policy, and one in a writable folder is a mistake", async () => {
  const place = placed('\ufeff{ "$schema": "./policy.schema.json", "sandbox": "required" }');
  expect(await readPolicy(place)).toEqual({ type: "policy", policy: { path: place.path, sandbox: "required" } });
  expect(await readPolicy({ ...place, path: join(place.topFolder, "none/policy.json") })).toEqual({ type: "none" });
  expect(isWritableOnlyByOwner(place.path, place)).toBe(true);
  chmodSync(place.topFolder, 0o777);
  expect(await readPolicy(place)).toMatchObject({
    type: "mistake",
    message: expect.stringContaining(`is in ${place.topFolder}`),
  });
  expect(isWritableOnlyByOwner(place.path, place)).toBe(false);
});

test("POL4 a policy path whose folder is a file is a mistake, not a missing policy", async () => {
  const place = placed("{}");
  expect(await readPolicy({ ...place, path: join(place.path, "policy.json") })).toMatchObject({ type: "mistake" });
});

test("POL7 the example in docs/policy.md is valid and has every item", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/policy.md"), "utf8");
  const [example] = codeBlocks(page, "json");
  expect(parsePolicy(example?.text ?? "", "policy.json")).toMatchObject({ type: "policy" });
  const missing = policyTable.filter(({ name }) => !example?.text.includes(`"${name.split(".").at(-1)}"`));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

describe("models", () => {
  const policy = of({
    models: { allow: ["openai/gpt-5*", "ollama/*"], baseUrls: ["https://models.example.com/team"] },
  });

  test.each(["openai/gpt-5", "openai/gpt-5.1", "ollama/a/b"])("POL7 the model %s is allowed", (name) => {
    expect(getModelRefusal(policy, name)).toBe(null);
  });

  test.each(["openai/gpt-4", "openai", "x-openai/gpt-5", "openrouter/openai/gpt-5", "openai/\ngpt-5", ""])(
    "POL6 the model %j is not allowed",
    (name) => {
      expect(getModelRefusal(policy, name)).toContain("does not allow");
    },
  );

  test("POL7 a provider's second API name counts as the same provider", () => {
    expect(getModelRefusal(of({ models: { allow: ["openai/*"] } }), "openai-chat/gpt-5")).toBe(null);
  });

  test.each([
    "https://models.example.com/team",
    "https://models.example.com/team/v1",
    "https://models.example.com:443/team/../team/v1",
  ])("POL7 the base URL %s is allowed", (address) => expect(getBaseUrlRefusal(policy, address)).toBe(null));

  test.each([
    "https://models.example.com/",
    "https://models.example.com/teams",
    "https://models.example.com/team/../other",
    "http://models.example.com/team",
    "https://models.example.com:8443/team",
    "https://models.example.com@evil.example/team",
    "https://user@models.example.com/team",
    "https://models.example.com.evil.example/team",
    "nowhere",
  ])("POL6 the base URL %s is not allowed", (address) => {
    expect(getBaseUrlRefusal(policy, address)).toContain("does not allow");
  });
});

describe("hosts", () => {
  const policy = of({
    network: { hosts: ["example.com", "*.example.org", "localhost:5432"], deny: ["bad.example.org"] },
  });

  test("POL6 only listed hosts are allowed, and no denied host", () => {
    const reached = ["example.com", "EXAMPLE.com.", "a.b.example.org"].map((host) => getHostRefusal(policy, host));
    expect(reached).toEqual([null, null, null]);
    const refused = ["example.org", "a.example.com", "bad.example.org", "evilexample.org", "127.0.0.1", "localhost"];
    expect(refused.filter((host) => getHostRefusal(policy, host) === null)).toEqual([]);
    expect([getHostRefusal(policy, "localhost", 5432), getHostRefusal(policy, "localhost", 5433)]).toEqual([
      null,
      "Your organization's policy does not allow the host localhost (/etc/pith/policy.json).",
    ]);
  });

  test("POL6 other hosts are refused without a question, and the reason names the policy", async () => {
    const questions: string[] = [];
    const permissions = new Permissions({
      mode: "all",
      rules: buildPolicyRules(policy),
      limits: buildPolicyLimits(policy),
      paths: {
        root: "/work",
        home: "/home/a",
        temporaryFolders: Promise.resolve([]),
        privatePaths: [],
        permissionFiles: [],
        hasSandbox: Promise.resolve(true),
      },
      resolveRealPath: async (path) => path,
      ask: async ({ arguments: { host } }) => {
        questions.push(String(host));
        return { type: "yes" };
      },
    });
    const permit = (host: string) => {
      const intent = { type: "network", host, port: 443, command: null } as const;
      return permissions.permit(
        { tool: "bash", arguments: { host }, intent },
        { signal: new AbortController().signal },
      );
    };
    expect(await permit("example.com")).toMatchObject({ type: "permitted" });
    expect(await permit("other.example")).toEqual({
      type: "refused",
      why: "not permitted: your organization's policy (/etc/pith/policy.json) does not allow this host",
    });
    expect(await permit("bad.example.org")).toMatchObject({
      why: expect.stringContaining(
        "the rule network(bad.example.org) from your organization's policy (/etc/pith/policy.json)",
      ),
    });
    expect(questions).toEqual(["example.com"]);
  });

  test("POL6 a mode that the policy leaves out cannot be set", () => {
    const limits = buildPolicyLimits(of({ permissions: { modes: ["plan", "ask"] } }));
    const paths = {
      root: "/",
      home: "/",
      temporaryFolders: Promise.resolve([]),
      privatePaths: [],
      permissionFiles: [],
      hasSandbox: Promise.resolve(true),
    };
    const permissions = new Permissions({ mode: "ask", limits, paths, resolveRealPath: async (path) => path });
    expect(() => permissions.setMode("all")).toThrow("does not allow the mode all");
    expect(permissions.mode).toBe("ask");
  });
});

test.each([
  ["https://mcp.example.com/docs/v1", null],
  ["https://mcp.example.com/docs/../admin", "refused"],
  ["https://mcp.example.com/doc", "refused"],
  ["https://mcp.example.com.evil.example/docs/v1", "refused"],
] as const)("POL6 with one allowed URL, the refusal of the server at %s is %s", (url, outcome) => {
  const policy = of({ mcp: { allow: [{ name: "docs", url: "https://mcp.example.com/docs/*" }] } });
  const refusal = getServerRefusal(policy, { name: "docs", server: { url } });
  expect(refusal === null ? null : "refused").toBe(outcome);
});

test.each([
  [{}, null],
  [{ cwd: "/home/me" }, "refused"],
  [{ folders: ["/home/me"] }, "refused"],
  [{ sandbox: "off" }, null],
] as const)("POL6 with one allowed command, the refusal of its server with %j is %s", (more, outcome) => {
  const allowed = { name: "desk", command: "/usr/bin/python3", args: ["-m", "desk"] };
  const { name, ...server } = allowed;
  const refusal = getServerRefusal(of({ mcp: { allow: [allowed] } }), { name, server: { ...server, ...more } });
  expect(refusal === null ? null : "refused").toBe(outcome);
});

test("POL6 if the default mode is not allowed, the nearest stricter one is used", () => {
  const modes = (...names: NonNullable<Policy["permissions"]>["modes"] & readonly unknown[]) =>
    of({ permissions: { modes: names } });
  expect(findNearestMode(modes("plan", "ask"), "edit")).toBe("ask");
  expect(findNearestMode(modes("plan", "all"), "edit")).toBe("plan");
  expect(findNearestMode(modes("all"), "edit")).toBe("all");
  expect(findNearestMode(modes("plan", "edit", "all"), "edit")).toBe("edit");
});

test("POL6 a flag against the policy is a mistake, a setting is narrowed with a note, and stricter values stay", () => {
  const policy = of({ network: { mode: "hosts" } });
  const field = (from: string, value: string) => [{ path: ["network"], value, from }];
  expect(applyPolicy(field("--network", "open"), policy)).toMatchObject({ type: "mistake" });
  expect(applyPolicy(field("settings.json", "open"), policy)).toMatchObject({
    fields: [{}, { path: ["network"], value: "hosts", from: "/etc/pith/policy.json" }],
    notes: [expect.stringContaining('does not allow network "open"')],
  });
  expect(applyPolicy(field("settings.json", "off"), policy)).toMatchObject({ fields: [{ value: "off" }], notes: [] });
});

test("POL8 the policy keeps the audit log on", () => {
  const off = [{ path: ["auditLog"], value: false, from: "settings.json" }];
  expect(applyPolicy(off, of({ auditLog: "required" }))).toMatchObject({
    fields: [{}, { path: ["auditLog"], value: true }],
    notes: [expect.stringContaining("does not allow auditLog")],
  });
});

test("POL3 a settings file can neither define nor remove a policy", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-policy-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, "settings.json"), '{ "policy": { "models": {} }, "sandbox": "off" }');
  const policyAt = placed('{ "sandbox": "required" }');
  const chosen = await loadSettings({}, { home, environment: {}, policyLocation: policyAt });
  expect(chosen).toMatchObject({ settings: { sandbox: "on", policy: { path: policyAt.path, sandbox: "required" } } });
  const free = await loadSettings(
    {},
    { home, environment: {}, policyLocation: { ...policyAt, path: "/nowhere/policy.json" } },
  );
  expect(free).toMatchObject({ settings: { sandbox: "off" } });
  expect(free.type === "resolved" && "policy" in free.settings).toBe(false);
});

test("POL7 under a policy, a project's extension is never loaded, even if its path is allowed", () => {
  // Only root can change this file.
  const path = realpathSync("/usr/bin/env");
  const policy = of({ extensions: { allow: [path] } });
  const extension = { name: "one", origin: "user", path, stamp: "1" } as const;
  const projectExtension = { ...extension, origin: "project", trustedBytes: new Map<string, Uint8Array>() } as const;
  expect(filterExtensions<FoundExtension>({ found: [extension], notes: [] }, policy).found).toHaveLength(1);
  const { found, notes } = filterExtensions<FoundExtension>({ found: [projectExtension], notes: [] }, policy);
  expect(found).toEqual([]);
  expect(notes).toEqual([expect.stringContaining("the extension one")]);
});
