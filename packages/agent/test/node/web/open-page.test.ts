/** Visits of the public web, which here is a server on this machine that stands in for all of its addresses. */

import { expect, test } from "vitest";
import { requestPage, visit } from "../../../src/node/web/open-page.ts";
import type { Route } from "../../../src/node/web/public-address.ts";
import type { WebResult } from "../../../src/ports.ts";
import { newSite, type Site, textOf } from "../../support/web-servers.ts";

interface Visited {
  readonly opened: WebResult;
  /** Names that were resolved, in order. */
  readonly resolved: readonly string[];
  /** Addresses that were dialled, in order. */
  readonly dialled: readonly string[];
}

async function visited(site: Site, answers: readonly string[], allowedHosts: readonly string[] = []): Promise<Visited> {
  const resolved: string[] = [];
  const dialled: string[] = [];
  const resolve = async (name: string): Promise<readonly string[]> => [answers[resolved.push(name) - 1] ?? "10.9.9.9"];
  const dial = (route: Route, act: Parameters<typeof requestPage>[1]): ReturnType<typeof requestPage> => {
    dialled.push(...route.addresses);
    const url = new URL(`${route.url.pathname}`, site.url);
    return requestPage({ ...route, url, addresses: ["127.0.0.1"] }, act);
  };
  const act = { signal: new AbortController().signal, maxBytes: 1_000, connectMs: 10_000, resolve, requestPage: dial };
  const opened = await visit({ url: "http://pages.example/", allowedHosts, hops: 0 }, act);
  return { opened, resolved, dialled };
}

test("WEB2 a name is resolved once, and only its checked public address is connected to", async () => {
  const site = await newSite((_, response) => response.end("hello"));
  const { opened, resolved, dialled } = await visited(site, ["93.184.215.14", "127.0.0.1"]);
  expect(textOf(opened)).toBe("hello");
  expect(resolved).toEqual(["pages.example"]);
  expect(dialled).toEqual(["93.184.215.14"]);
});

test("WEB5 a redirect to a name that now resolves to a private address is refused", async () => {
  const site = await newSite((_, response) => response.writeHead(302, { location: "/next" }).end());
  const { opened, dialled } = await visited(site, ["93.184.215.14", "127.0.0.1"]);
  expect(opened).toMatchObject({ type: "refused", why: "address" });
  expect(dialled).toEqual(["93.184.215.14"]);
});

test("WEB6 a page of another host cannot redirect to an allowed host of the user", async () => {
  const site = await newSite((_, response) => response.writeHead(302, { location: "http://127.0.0.1:8080/" }).end());
  const { opened, dialled } = await visited(site, ["93.184.215.14"], ["127.0.0.1:8080"]);
  expect(opened).toMatchObject({ type: "refused", why: "address" });
  expect(dialled).toEqual(["93.184.215.14"]);
});

test("WEB5 a redirect to another host is not followed, because that host needs its own permission", async () => {
  const location = "http://other.example/next";
  const site = await newSite((_, response) => response.writeHead(302, { location }).end());
  const { opened, resolved, dialled } = await visited(site, ["93.184.215.14", "8.8.8.8"]);
  expect(opened).toMatchObject({ type: "refused", why: "elsewhere", message: expect.stringContaining(location) });
  // Nor is its name looked up: a name server would learn it.
  expect(resolved).toEqual(["pages.example"]);
  expect(dialled).toEqual(["93.184.215.14"]);
});

test("WEB5 a host with and without www counts as the same", async () => {
  const site = await newSite((request, response) => {
    if (request.url === "/") response.writeHead(301, { location: "http://www.pages.example/home" }).end();
    else response.end("home");
  });
  expect(textOf((await visited(site, ["93.184.215.14", "93.184.215.14"])).opened)).toBe("home");
});
