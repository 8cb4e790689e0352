/** Collects the keys that Pith uses, wherever they come from: they are secrets whatever they look like. */

import { type Environment, providers } from "@pith/models";
import { type KeySources, listKeyVariables, savedKeyName, savedKeys } from "./provider-keys.ts";
import type { McpServerSettings, Settings } from "./settings.ts";

/** A key with a name for display, such as that of its variable. */
export interface KeyInUse {
  readonly name: string;
  readonly value: string;
}

export type McpServerSettingsByName = Readonly<Record<string, McpServerSettings>>;

export interface KeySourcesInUse extends Omit<KeySources, "vault"> {
  readonly settings: Pick<Settings, "baseUrl">;
  readonly servers: McpServerSettingsByName;
}

export async function collectKeysInUse({
  environment,
  settings,
  servers,
  ...sources
}: KeySourcesInUse): Promise<readonly KeyInUse[]> {
  return [
    ...pickVariables(listKeyVariables(), environment),
    ...(await readSavedKeys(sources)),
    ...listUrlPasswords([...findUrlVariables(environment), { name: "base URL", value: settings.baseUrl ?? "" }]),
    ...listServerKeys(servers),
  ];
}

function pickVariables(names: readonly string[], environment: Environment): readonly KeyInUse[] {
  return names.flatMap((name) => {
    const value = environment[name];
    return value ? [{ name, value }] : [];
  });
}

async function readSavedKeys({
  home,
  keys: saved = savedKeys(home),
}: Pick<KeySources, "home" | "keys">): Promise<readonly KeyInUse[]> {
  const result = await saved.read();
  // An invalid key file is reported when a key is needed.
  const keys = result.type === "read" ? Object.entries(result.keys) : [];
  return keys.map(([provider, value]) => ({ name: savedKeyName(provider), value }));
}

/** The variables with addresses of proxies and of model providers. */
function findUrlVariables(environment: Environment): readonly KeyInUse[] {
  const baseUrlVariables = providers.flatMap(({ baseUrlVariable }) => baseUrlVariable ?? []);
  const names = Object.keys(environment).filter((name) => /_proxy$/i.test(name) || baseUrlVariables.includes(name));
  return pickVariables(names, environment);
}

/** The password in each address, as it is written, decoded, and as part of an `Authorization: Basic` header. */
function listUrlPasswords(addresses: readonly KeyInUse[]): readonly KeyInUse[] {
  return addresses.flatMap(({ name, value }) => {
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
    if (!url?.password) return [];
    const [user, password] = [url.username, url.password].map(decodeUrlPart);
    return [...listLoginKeys({ name, user: user ?? "", password: password ?? "" }), { name, value: url.password }];
  });
}

function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The password of a login, and what an `Authorization: Basic` header contains. */
export function listLoginKeys({
  name,
  user,
  password,
}: {
  readonly name: string;
  readonly user: string;
  readonly password: string;
}): readonly KeyInUse[] {
  return [
    { name, value: password },
    { name, value: Buffer.from(`${user}:${password}`).toString("base64") },
  ];
}

/** The values in a server's settings that may be keys: of variables, headers, query parameters and flags, unless the name is that of a setting. */
export function listServerKeys(servers: McpServerSettingsByName): readonly KeyInUse[] {
  return Object.entries(servers).flatMap(([server, { args = [], env = {}, url = "", headers = {} }]) => {
    const values = [
      ...Object.entries(env).filter(([, value]) => isOpaque(value)),
      ...Object.entries(headers).flatMap(([name, value]) => splitHeader(value).map((part) => [name, part] as const)),
      ...(URL.parse(url)?.searchParams ?? []),
      ...listFlags(args),
    ];
    return values
      .filter(([name]) => !isSettingName(name))
      .map(([name, value]) => ({ name: `${server}_${name.replaceAll("-", "_")}`, value }));
  });
}

/** A path, an address or a text of several words is no key. A password in an address is found by its form. */
function isOpaque(value: string): boolean {
  return !/\s|^(?:[~.]{0,2}\/|[A-Za-z]:\\|\w+:\/\/|\$?\{)/.test(value);
}

/** `Bearer x` and `a=x; b=y` contain the key `x`. The user and password of `Basic` are found in it, too. */
function splitHeader(value: string): readonly string[] {
  const [, scheme = "", rest = value] = /^([A-Za-z][\w-]*) +(\S.*)$/.exec(value) ?? [];
  const cookies = rest.includes("=") ? rest.split(/;\s*/).flatMap((part) => /^[^=]+=(.+)$/.exec(part)?.[1] ?? []) : [];
  const login = /^basic$/i.test(scheme) ? Buffer.from(rest, "base64").toString() : "";
  return [rest, ...cookies, login.slice(login.indexOf(":") + 1)].filter((part) => part !== "");
}

/** The values of `--name=value` and `--name value`, for names that suggest a secret. */
function listFlags(args: readonly string[]): readonly (readonly [string, string])[] {
  return args.flatMap((arg, index) => {
    const [, name = "", value = args[index + 1] ?? ""] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return SECRET_FLAG.test(name) && value !== "" && !value.startsWith("-") ? [[name, value] as const] : [];
  });
}

const SECRET_FLAG = /(?:^|[-_])(?:\w*key|\w*token|secret|password|passwd|pass|auth|credentials?|pat)$/i;

/** Names of variables, headers and parameters whose values are settings, such as `AWS_REGION` and `Content-Type`. */
function isSettingName(name: string): boolean {
  return SETTING_NAME.test(name.replaceAll("-", "_"));
}

const SETTING_NAME = new RegExp(
  `(?:^|_)(?:${[
    ...["region", "zone", "level", "env", "environment", "mode", "model", "host", "hostname", "port", "url", "uri"],
    ...[
      "endpoint",
      "path",
      "dir",
      "directory",
      "folder",
      "file",
      "name",
      "user",
      "username",
      "email",
      "lang",
      "locale",
    ],
    ...["tz", "timezone", "version", "format", "type", "project", "org", "organization", "workspace", "team", "tenant"],
    ...["branch", "repo", "repository", "database", "db", "schema", "bucket", "timeout", "limit", "debug", "log"],
    ...[
      "options",
      "flags",
      "color",
      "browser",
      "profile",
      "agent",
      "accept",
      "encoding",
      "language",
      "origin",
      "referer",
    ],
  ].join("|")})$`,
  "i",
);
