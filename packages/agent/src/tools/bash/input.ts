/** Describes the `bash` tool to the model and reads its arguments. */

import { parseHostPattern } from "../../permissions/rules.ts";
import {
  type ArgumentError,
  combineArguments,
  invalid,
  isGiven,
  type ParsedArgument,
  parseNumber,
  readBoolean,
  type ToolArguments,
  valid,
} from "../arguments.ts";
import { isSecretName } from "./command-secrets.ts";

export type BashInput =
  | ({ readonly type: "run" | "start" } & CommandInput)
  | { readonly type: "look"; readonly job: string; readonly waitMs: number; readonly isToEnd: boolean }
  | ArgumentError;

export interface CommandInput {
  readonly command: string;
  readonly timeoutMs?: number;
  /** Where there is a sandbox: not in it. */
  readonly isOutside: boolean;
  /** Placeholders, variables and logins whose true values it wants. */
  readonly secrets?: readonly string[];
  /** With secrets: the only hosts that it may reach. */
  readonly hosts?: readonly string[];
  /** A port of the user's machine that it wants to reach. */
  readonly hostPort?: number;
  /** A port of the sandbox that the user's machine is to reach. */
  readonly publishPort?: number;
}

/** Longer than any command should take; what is longer still would overflow a timer. */
const MAX_SECONDS = 7 * 24 * 3600;

export function parseBashInput(args: ToolArguments): BashInput {
  if (isGiven(args.job)) return parseJobInput(args);
  const { command } = args;
  if (typeof command !== "string" || command.trim() === "") return invalid("`command` has to be a command for bash");
  const parsed = combineArguments({
    seconds: readSeconds(args, "timeout"),
    isOutside: readBoolean(args, "outside"),
    isJob: readBoolean(args, "background"),
    secrets: readSecrets(args),
    hosts: readHosts(args),
    hostPort: readPort(args, "host_port"),
    publishPort: readPort(args, "publish_port"),
  });
  if (parsed.type === "wrong") return parsed;
  const { seconds, isOutside, isJob, secrets, hosts, hostPort, publishPort } = parsed.value;
  if (hosts.length > 0 && secrets.length === 0)
    return invalid("`hosts` goes with `secrets`; other commands reach each host that the user allows");
  return {
    ...{ type: isJob ? "start" : "run", command, isOutside },
    ...(seconds > 0 && { timeoutMs: seconds * 1000 }),
    ...(secrets.length > 0 && { secrets, hosts }),
    ...(hostPort !== null && { hostPort }),
    ...(publishPort !== null && { publishPort }),
  };
}

function readSecrets(args: ToolArguments): ParsedArgument<readonly string[]> {
  const names = readNameList(args, "secrets");
  if (names.type === "wrong") return names;
  const invalidName = names.value.find((name) => !isSecretName(name));
  if (invalidName === undefined) return names;
  return invalid(
    `\`secrets\` has names: placeholders, environment variables, or npm, git, pip, cargo; not ${invalidName}`,
  );
}

function readHosts(args: ToolArguments): ParsedArgument<readonly string[]> {
  const names = readNameList(args, "hosts");
  if (names.type === "wrong") return names;
  const patterns = names.value.map(parseHostPattern);
  const hosts = patterns.flatMap((pattern) => (pattern.type === "host" && !pattern.isSubdomain ? [pattern.host] : []));
  if (hosts.length === patterns.length) return valid(hosts);
  return invalid("`hosts` has plain host names, such as example.com, without scheme, port or path");
}

/** A user who is asked has to see all of them, and for each host git is asked for a login. */
const MAX_NAMES = 20;

/** Models write one name without a list, too. */
function readNameList(args: ToolArguments, name: "secrets" | "hosts"): ParsedArgument<readonly string[]> {
  const value = args[name];
  if (!isGiven(value)) return valid([]);
  const list = Array.isArray(value) ? value : [value];
  const names = list.filter((each) => typeof each === "string").map((each) => each.trim());
  if (names.length < list.length || names.includes("")) return invalid(`\`${name}\` has to be a list of names`);
  if (names.length > MAX_NAMES) return invalid(`\`${name}\` has no more than ${MAX_NAMES} names`);
  return valid([...new Set(names)]);
}

function readPort(args: ToolArguments, name: "host_port" | "publish_port"): ParsedArgument<number | null> {
  const port = parseNumber(args[name]);
  const isValidPort = port === null || (Number.isInteger(port) && port >= 1 && port <= 65_535);
  return isValidPort ? valid(port) : invalid(`\`${name}\` has to be a port from 1 to 65535`);
}

function parseJobInput(args: ToolArguments): BashInput {
  const { job } = args;
  if (typeof job !== "string") return invalid('`job` has to be the name of a job, such as "job-1"');
  if (isGiven(args.command)) return invalid("either `command` or `job`, not both");
  const parsed = combineArguments({ seconds: readSeconds(args, "wait"), isToEnd: readBoolean(args, "kill") });
  if (parsed.type === "wrong") return parsed;
  const { seconds, isToEnd } = parsed.value;
  return { type: "look", job, waitMs: seconds * 1000, isToEnd };
}

/** None unless said. */
function readSeconds(args: ToolArguments, name: "timeout" | "wait"): ParsedArgument<number> {
  const seconds = parseNumber(args[name]) ?? 0;
  return seconds >= 0 ? valid(Math.min(seconds, MAX_SECONDS)) : invalid(`\`${name}\` has to be a number of seconds`);
}

const description =
  "Run a bash command in the workspace, without input. Of a long output you see the beginning and the end. " +
  "Start servers, watchers and other long work with `background`; you get the name of a job, " +
  "by which you later see its new output, wait for it or end it.";

const NETWORK_TEXTS: Readonly<Record<NetworkSetting, string>> = {
  off: " They have no network.",
  hosts: " They reach the network by host, over HTTP and HTTPS, and the user may be asked about a host.",
  open: " They reach public hosts over HTTP and HTTPS.",
};
const OWN_LOCALHOST = " localhost is the sandbox, not the user's machine.";
const NO_LOCALHOST = " They can neither listen on localhost nor connect to it.";
const SECRETS_TEXT =
  " A word such as PITH_SECRET_github_5f0c1a9b3d27 stands for a secret and is passed as it is, unless you name it in `secrets`.";

const properties = {
  command: { type: "string", description: "What to run" },
  timeout: { type: "number", description: "End it after so many seconds; default: never" },
  background: { type: "boolean", description: "Start it as a job and do not wait" },
  job: { type: "string", description: "Instead of a command: look at this job" },
  wait: { type: "number", description: "Wait up to so many seconds for the job to end" },
  kill: { type: "boolean", description: "End the job" },
};

const nameListSchema = { type: "array", items: { type: "string" } };

const secretProperties = {
  secrets: {
    ...nameListSchema,
    description:
      "Run with the true values of these: placeholders, environment variables, or the logins npm, git, pip, cargo. The user is asked; home and /tmp are empty then",
  },
  hosts: { ...nameListSchema, description: "With `secrets`: the only hosts that the command may reach; default: none" },
};

const portProperties = {
  host_port: { type: "integer", description: "Reach this port of the user's machine at localhost; the user is asked" },
  publish_port: {
    type: "integer",
    description: "Let the user's machine reach this port of the sandbox, such as a server's; the user is asked",
  },
};

const outsideProperty = { type: "boolean", description: "Run it outside the sandbox; the user is asked" };

export type NetworkSetting = "off" | "hosts" | "open";

export interface BashDescription {
  readonly description: string;
  readonly parameters: unknown;
}

export interface BashAbilities {
  /** Null where commands run in no sandbox. */
  readonly network: NetworkSetting | null;
  readonly hasSecrets: boolean;
  readonly hasPorts: boolean;
  /** The temporary folder, as commands name it. */
  readonly temporary: string;
  readonly hasLocalhost: boolean;
}

/** What a model has to know: where commands run, what they reach, and what can be asked for. */
export function describeBash(abilities: BashAbilities): BashDescription {
  const { network, hasSecrets, hasPorts } = abilities;
  const sandboxText = network === null ? "" : describeSandbox(network, abilities);
  return {
    description: description + sandboxText + (hasSecrets ? SECRETS_TEXT : ""),
    parameters: {
      type: "object",
      properties: {
        ...properties,
        ...(hasSecrets && secretProperties),
        ...(hasPorts && portProperties),
        ...(network !== null && { outside: outsideProperty }),
      },
    },
  };
}

function describeSandbox(network: NetworkSetting, { temporary, hasLocalhost }: BashAbilities): string {
  const sandboxText = ` Commands run in a sandbox: they write only in the workspace, in ${temporary} and in a home of their own.`;
  if (!hasLocalhost) return sandboxText + NETWORK_TEXTS[network] + NO_LOCALHOST;
  return sandboxText + NETWORK_TEXTS[network] + (network === "off" ? "" : OWN_LOCALHOST);
}
