/** The proxy that HTTPS_PROXY and HTTP_PROXY name, but not for the hosts of NO_PROXY. */

import type { Environment } from "./environment.ts";

/** Whether there is a proxy to use, and whether it can be used; nothing is changed by asking. */
export function proxyUse(environment: Environment): ProxyUse {
  const proxies = Object.values(proxyVariables(environment));
  if (proxies.length === 0) return "none";
  if (proxies.some((proxy) => URL.parse(proxy) === null)) return "invalid";
  const isAble = process.env.NODE_USE_ENV_PROXY === "1" || proxySupport().setGlobalProxyFromEnv !== undefined;
  return isAble ? "used" : "unsupported";
}

let installed = "";

/** For the whole process: Node has one place for it. The same proxy is set once. */
export function useProxy(environment: Environment): void {
  if (proxyUse(environment) !== "used" || process.env.NODE_USE_ENV_PROXY === "1") return;
  const settings = { ...proxyVariables(environment), no_proxy: exceptions(environment) };
  if (installed === JSON.stringify(settings)) return;
  installed = JSON.stringify(settings);
  proxySupport().setGlobalProxyFromEnv?.(settings);
}

/** Whether Node's own `fetch` may go through one: set here, or by whoever started Node. */
export function isProxied(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "" } = process.env;
  const isAsked = [NODE_OPTIONS, ...process.execArgv].some((option) => option.includes("--use-env-proxy"));
  return installed !== "" || NODE_USE_ENV_PROXY === "1" || isAsked;
}

export type ProxyUse = "used" | "none" | "invalid" | "unsupported";

/** For people; nothing of a proxy's address, which may hold a password. */
export const proxyNotes: Readonly<Partial<Record<ProxyUse, string>>> = {
  invalid: "the proxy that the environment names is no address, and is not used; write http://host:port",
  unsupported: "this Node cannot use the proxy that the environment names; set NODE_USE_ENV_PROXY=1, or use Node 24",
};

/** One's own machine is never behind a proxy. */
function exceptions({ no_proxy, NO_PROXY }: Environment): string {
  return [no_proxy ?? NO_PROXY, "localhost", "127.0.0.1", "[::1]"].filter((each) => each).join(",");
}

// Loaded here: a program without a proxy need not wait for it.
function proxySupport(): ProxySupport {
  return process.getBuiltinModule("node:http");
}

/** Since Node 24. */
interface ProxySupport {
  readonly setGlobalProxyFromEnv?: (environment: Environment) => unknown;
}

function proxyVariables(environment: Environment): Readonly<Record<string, string>> {
  const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, withScheme(environment[name])]] : [])),
  );
}

/** Many write only host and port. */
function withScheme(address: string): string {
  return /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
}
