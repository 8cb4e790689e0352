/** Describes the `bash` tool to the model and reads its arguments. */

import { hostPattern } from "../../permissions/rules.ts";
import { type Argument, type Asked, all, flagOf, isGiven, numberIn, right, type Wrong, wrong } from "../arguments.ts";
import { isSecretName } from "./command-secrets.ts";

export type Wish =
  | ({ readonly type: "run" | "start" } & Command)
  | { readonly type: "look"; readonly job: string; readonly waitMs: number; readonly isToEnd: boolean }
  | Wrong;

export interface Command {
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
const LONGEST_SECONDS = 7 * 24 * 3600;

export function wishOf(asked: Asked): Wish {
  if (isGiven(asked.job)) return look(asked);
  const { command } = asked;
  if (typeof command !== "string" || command.trim() === "") return wrong("`command` has to be a command for bash");
  const read = all({
    seconds: secondsOf(asked, "timeout"),
    isOutside: flagOf(asked, "outside"),
    isJob: flagOf(asked, "background"),
    secrets: secretsOf(asked),
    hosts: hostsOf(asked),
    hostPort: portOf(asked, "host_port"),
    publishPort: portOf(asked, "publish_port"),
  });
  if (read.type === "wrong") return read;
  const { seconds, isOutside, isJob, secrets, hosts, hostPort, publishPort } = read.value;
  if (hosts.length > 0 && secrets.length === 0)
    return wrong("`hosts` goes with `secrets`; other commands reach each host that the user allows");
  return {
    ...{ type: isJob ? "start" : "run", command, isOutside },
    ...(seconds > 0 && { timeoutMs: seconds * 1000 }),
    ...(secrets.length > 0 && { secrets, hosts }),
    ...(hostPort !== null && { hostPort }),
    ...(publishPort !== null && { publishPort }),
  };
}

function secretsOf(asked: Asked): Argument<readonly string[]> {
  const names = listOf(asked, "secrets");
  if (names.type === "wrong") return names;
  const odd = names.value.find((name) => !isSecretName(name));
  if (odd === undefined) return names;
  return wrong(`\`secrets\` has names: placeholders, environment variables, or npm, git, pip, cargo; not ${odd}`);
}

function hostsOf(asked: Asked): Argument<readonly string[]> {
  const names = listOf(asked, "hosts");
  if (names.type === "wrong") return names;
  const patterns = names.value.map(hostPattern);
  const hosts = patterns.flatMap((pattern) => (pattern.type === "host" && !pattern.isUnder ? [pattern.host] : []));
  if (hosts.length === patterns.length) return right(hosts);
  return wrong("`hosts` has plain host names, such as example.com, without scheme, port or path");
}

/** A user who is asked has to see all of them, and for each host git is asked for a login. */
const MOST_NAMES = 20;

/** Models write one name without a list, too. */
function listOf(asked: Asked, name: "secrets" | "hosts"): Argument<readonly string[]> {
  const value = asked[name];
  if (!isGiven(value)) return right([]);
  const list = Array.isArray(value) ? value : [value];
  const names = list.filter((each) => typeof each === "string").map((each) => each.trim());
  if (names.length < list.length || names.includes("")) return wrong(`\`${name}\` has to be a list of names`);
  if (names.length > MOST_NAMES) return wrong(`\`${name}\` has no more than ${MOST_NAMES} names`);
  return right([...new Set(names)]);
}

function portOf(asked: Asked, name: "host_port" | "publish_port"): Argument<number | null> {
  const port = numberIn(asked[name]);
  const isPort = port === null || (Number.isInteger(port) && port >= 1 && port <= 65_535);
  return isPort ? right(port) : wrong(`\`${name}\` has to be a port from 1 to 65535`);
}

function look(asked: Asked): Wish {
  const { job } = asked;
  if (typeof job !== "string") return wrong('`job` has to be the name of a job, such as "job-1"');
  if (isGiven(asked.command)) return wrong("either `command` or `job`, not both");
  const read = all({ seconds: secondsOf(asked, "wait"), isToEnd: flagOf(asked, "kill") });
  if (read.type === "wrong") return read;
  const { seconds, isToEnd } = read.value;
  return { type: "look", job, waitMs: seconds * 1000, isToEnd };
}

/** None unless said. */
function secondsOf(asked: Asked, name: "timeout" | "wait"): Argument<number> {
  const seconds = numberIn(asked[name]) ?? 0;
  return seconds >= 0 ? right(Math.min(seconds, LONGEST_SECONDS)) : wrong(`\`${name}\` has to be a number of seconds`);
}

const description =
  "Run a bash command in the workspace, without input. Of a long output you see the beginning and the end. " +
  "Start servers, watchers and other long work with `background`; you get the name of a job, " +
  "by which you later see its new output, wait for it or end it.";

const NETWORKS: Readonly<Record<NetworkSetting, string>> = {
  off: " They have no network.",
  hosts: " They reach the network by host, over HTTP and HTTPS, and the user may be asked about a host.",
  open: " They reach public hosts over HTTP and HTTPS.",
};
const OWN_LOCALHOST = " localhost is the sandbox, not the user's machine.";
const NO_LOCALHOST = " They can neither listen on localhost nor connect to it.";
const SECRETS =
  " A word such as PITH_SECRET_github_5f0c1a9b3d27 stands for a secret and is passed as it is, unless you name it in `secrets`.";

const properties = {
  command: { type: "string", description: "What to run" },
  timeout: { type: "number", description: "End it after so many seconds; default: never" },
  background: { type: "boolean", description: "Start it as a job and do not wait" },
  job: { type: "string", description: "Instead of a command: look at this job" },
  wait: { type: "number", description: "Wait up to so many seconds for the job to end" },
  kill: { type: "boolean", description: "End the job" },
};

const names = { type: "array", items: { type: "string" } };

const secretProperties = {
  secrets: {
    ...names,
    description:
      "Run with the true values of these: placeholders, environment variables, or the logins npm, git, pip, cargo. The user is asked; home and /tmp are empty then",
  },
  hosts: { ...names, description: "With `secrets`: the only hosts that the command may reach; default: none" },
};

const portProperties = {
  host_port: { type: "integer", description: "Reach this port of the user's machine at localhost; the user is asked" },
  publish_port: {
    type: "integer",
    description: "Let the user's machine reach this port of the sandbox, such as a server's; the user is asked",
  },
};

const outside = { type: "boolean", description: "Run it outside the sandbox; the user is asked" };

export type NetworkSetting = "off" | "hosts" | "open";

export interface Described {
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
export function describeBash(abilities: BashAbilities): Described {
  const { network, hasSecrets, hasPorts } = abilities;
  const place = network === null ? "" : describePlace(network, abilities);
  return {
    description: description + place + (hasSecrets ? SECRETS : ""),
    parameters: {
      type: "object",
      properties: {
        ...properties,
        ...(hasSecrets && secretProperties),
        ...(hasPorts && portProperties),
        ...(network !== null && { outside }),
      },
    },
  };
}

function describePlace(network: NetworkSetting, { temporary, hasLocalhost }: BashAbilities): string {
  const place = ` Commands run in a sandbox: they write only in the workspace, in ${temporary} and in a home of their own.`;
  if (!hasLocalhost) return place + NETWORKS[network] + NO_LOCALHOST;
  return place + NETWORKS[network] + (network === "off" ? "" : OWN_LOCALHOST);
}
