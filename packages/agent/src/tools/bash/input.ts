/** Describes the `bash` tool to the model and parses its arguments. */

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
} from "../tool-io.ts";
import { isSecretName } from "./command-secrets.ts";

export type BashInput =
  | ({ readonly type: "run" | "start" } & CommandInput)
  | { readonly type: "job"; readonly job: string; readonly waitMs: number; readonly shouldKill: boolean }
  | ArgumentError;

export interface CommandInput {
  readonly command: string;
  readonly timeoutMs?: number;
  /** Run outside the sandbox, if there is one. */
  readonly isOutside: boolean;
  /** Placeholders, variables and logins whose real values the command needs. */
  readonly secrets?: readonly string[];
  /** With secrets: the only hosts that the command may reach. */
  readonly hosts?: readonly string[];
  /** A port of the user's machine that the command needs to reach. */
  readonly hostPort?: number;
  /** A port of the sandbox that the user's machine may reach. */
  readonly publishPort?: number;
}

/** The limit for timeouts: a longer one could overflow a timer. */
const MAX_SECONDS = 7 * 24 * 3600;

export function parseBashInput(args: ToolArguments): BashInput {
  if (isGiven(args.job)) return parseJobInput(args);
  const { command } = args;
  if (typeof command !== "string" || command.trim() === "") return invalid("`command` is missing: give a bash command");
  const parsed = combineArguments({
    seconds: readSeconds(args, "timeout"),
    isOutside: readBoolean(args, "outside"),
    isJob: readBoolean(args, "background"),
    secrets: readSecrets(args),
    hosts: readHosts(args),
    hostPort: readPort(args, "host_port"),
    publishPort: readPort(args, "publish_port"),
  });
  if (parsed.type === "invalid") return parsed;
  const { seconds, isOutside, isJob, secrets, hosts, hostPort, publishPort } = parsed.value;
  if (hosts.length > 0 && secrets.length === 0)
    return invalid("`hosts` can only be used with `secrets`; other commands can reach every host that the user allows");
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
  if (names.type === "invalid") return names;
  const invalidName = names.value.find((name) => !isSecretName(name));
  if (invalidName === undefined) return names;
  return invalid(
    `\`secrets\` must contain placeholders, environment variables, or npm, git, pip, cargo; not ${invalidName}`,
  );
}

function readHosts(args: ToolArguments): ParsedArgument<readonly string[]> {
  const names = readNameList(args, "hosts");
  if (names.type === "invalid") return names;
  const patterns = names.value.map(parseHostPattern);
  const hosts = patterns.flatMap((pattern) => (pattern.type === "host" && !pattern.isSubdomain ? [pattern.host] : []));
  if (hosts.length === patterns.length) return valid(hosts);
  return invalid("`hosts` must contain plain host names such as example.com, without scheme, port or path");
}

/** The question must show all names, and git is asked for a login of each host. */
const MAX_NAMES = 20;

/** Accepts a single name without a list, as some models send it. */
function readNameList(args: ToolArguments, name: "secrets" | "hosts"): ParsedArgument<readonly string[]> {
  const value = args[name];
  if (!isGiven(value)) return valid([]);
  const list = Array.isArray(value) ? value : [value];
  const names = list.filter((each) => typeof each === "string").map((each) => each.trim());
  if (names.length < list.length || names.includes("")) return invalid(`\`${name}\` must be a list of names`);
  if (names.length > MAX_NAMES) return invalid(`\`${name}\` can have at most ${MAX_NAMES} names`);
  return valid([...new Set(names)]);
}

function readPort(args: ToolArguments, name: "host_port" | "publish_port"): ParsedArgument<number | null> {
  const port = parseNumber(args[name]);
  const isValidPort = port === null || (Number.isInteger(port) && port >= 1 && port <= 65_535);
  return isValidPort ? valid(port) : invalid(`\`${name}\` must be a port from 1 to 65535`);
}

function parseJobInput(args: ToolArguments): BashInput {
  const { job } = args;
  if (typeof job !== "string") return invalid('`job` must be the name of a job, such as "job-1"');
  if (isGiven(args.command)) return invalid("give either `command` or `job`, not both");
  const parsed = combineArguments({ seconds: readSeconds(args, "wait"), shouldKill: readBoolean(args, "kill") });
  if (parsed.type === "invalid") return parsed;
  const { seconds, shouldKill } = parsed.value;
  return { type: "job", job, waitMs: seconds * 1000, shouldKill };
}

/** 0 if it is not given. */
function readSeconds(args: ToolArguments, name: "timeout" | "wait"): ParsedArgument<number> {
  const seconds = parseNumber(args[name]) ?? 0;
  return seconds >= 0
    ? valid(Math.min(seconds, MAX_SECONDS))
    : invalid(`\`${name}\` must be a number of seconds, 0 or more`);
}

const description =
  "Run a bash command in the workspace. Standard input is empty. If the output is long, only its start and end are shown. " +
  "Of several calls in one reply, those that only read run at the same time; commands and changes run one by one, in order. " +
  "Use `background` for servers, watchers and other long tasks: it returns a job name. " +
  "Pass that name as `job` to see new output, wait for the job or kill it.";

const NETWORK_TEXTS: Readonly<Record<NetworkSetting, string>> = {
  off: " They have no network access.",
  hosts: " They can use HTTP and HTTPS; the user may be asked about each host.",
  open: " They can reach public hosts over HTTP and HTTPS.",
};
const OWN_LOCALHOST = " localhost is the sandbox, not the user's machine.";
const NO_LOCALHOST = " They cannot listen on localhost or connect to it.";
const SECRETS_TEXT =
  " Text such as PITH_SECRET_github_5f0c1a9b3d27 is a placeholder for a secret. Commands get the placeholder itself unless you name it in `secrets`.";

const properties = {
  command: { type: "string", description: "The command to run" },
  timeout: { type: "number", description: "Timeout in seconds; default: none" },
  background: { type: "boolean", description: "Start the command as a background job and return immediately" },
  job: { type: "string", description: "Instead of `command`: show the new output of this job" },
  wait: { type: "number", description: "With `job`: wait up to this many seconds for it to end" },
  kill: { type: "boolean", description: "With `job`: kill it" },
};

const nameListSchema = { type: "array", items: { type: "string" } };

const secretProperties = {
  secrets: {
    ...nameListSchema,
    description:
      "Run with the real values of these placeholders, environment variables, or logins (npm, git, pip, cargo). The user is asked. The home folder and /tmp are empty for this command",
  },
  hosts: { ...nameListSchema, description: "With `secrets`: the only hosts the command may reach; default: none" },
};

const portProperties = {
  host_port: {
    type: "integer",
    description: "Make this port on the user's machine reachable at localhost; the user is asked",
  },
  publish_port: {
    type: "integer",
    description: "Make this sandbox port, such as a server's, reachable from the user's machine; the user is asked",
  },
};

const outsideProperty = { type: "boolean", description: "Run outside the sandbox; the user is asked" };

/** The network of sandboxed commands: none, permitted hosts, or every public host. */
export type NetworkSetting = "off" | "hosts" | "open";

export interface BashAbilities {
  /** Null without a sandbox. */
  readonly network: NetworkSetting | null;
  readonly hasSecrets: boolean;
  readonly hasPorts: boolean;
  /** The path of the temporary folder within commands. */
  readonly temporary: string;
  readonly hasLocalhost: boolean;
}

/** The tool description and schema: where commands run, what they can reach, and what they can request. */
export function describeBash(abilities: BashAbilities): { readonly description: string; readonly parameters: unknown } {
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
  const sandboxText = ` Commands run in a sandbox. They can write only in the workspace, ${temporary} and a private home folder.`;
  if (!hasLocalhost) return sandboxText + NETWORK_TEXTS[network] + NO_LOCALHOST;
  return sandboxText + NETWORK_TEXTS[network] + (network === "off" ? "" : OWN_LOCALHOST);
}
