/** Tests network/http-client.ts: fetch, redirects. */

import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { closed, fetchPlain, type RunningServer, startTestServer } from "../support/test-servers.ts";

describe("fetch", () => {
  let served: RunningServer;
  afterEach(() => served?.close());

  describe("a response", () => {
    test("NET4 has status, headers and body as with Node's fetch", async () => {
      served = await startTestServer((_, response) => {
        response.writeHead(418, "Short and stout", [
          ["x-many", "one"],
          ["x-many", "two"],
          ["content-type", "application/json"],
        ] as never);
        response.end('{"hello":"wörld"}');
      });
      const [ours, nodes] = [await fetchPlain(`${served.url}/a?b=c#d`), await fetch(`${served.url}/a?b=c#d`)];
      for (const name of ["ok", "status", "statusText", "url", "redirected", "bodyUsed", "type"] as const)
        expect([name, ours[name]]).toEqual([name, nodes[name]]);
      expect(listHeaders(ours)).toEqual(listHeaders(nodes));
      expect(await ours.clone().json()).toEqual({ hello: "wörld" });
      expect(await ours.text()).toBe(await nodes.text());
      expect(ours.bodyUsed).toBe(true);
      await expect(ours.text()).rejects.toThrow("already been read");
    });

    test("NET4 can be read as bytes, as a blob and as a form", async () => {
      served = await startTestServer((_, response) => {
        response.writeHead(200, { "content-type": "application/x-www-form-urlencoded" }).end("a=1&b=2");
      });
      expect(new TextDecoder().decode(await (await fetchPlain(served.url)).arrayBuffer())).toBe("a=1&b=2");
      expect(await (await (await fetchPlain(served.url)).blob()).text()).toBe("a=1&b=2");
      expect([...(await (await fetchPlain(served.url)).formData())]).toEqual([
        ["a", "1"],
        ["b", "2"],
      ]);
    });

    test("NET4 streams its body before it has ended", async () => {
      let more = (): void => {};
      served = await startTestServer((_, response) => {
        response.write("first");
        more = () => response.end("second");
      });
      const requestLines: string[] = [];
      for await (const piece of (await fetchPlain(served.url)).body ?? []) {
        requestLines.push(Buffer.from(piece).toString());
        more();
      }
      expect(requestLines).toEqual(["first", "second"]);
    });

    test("NET4 without a body has none, and its connection is reused", async () => {
      served = await startTestServer((_, response) => {
        response.writeHead(204).end();
      });
      for (let round = 0; round < 3; round += 1) {
        expect((await fetchPlain(served.url)).body).toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(served.connections).toHaveLength(1);
    });

    test("NET4 of eight megabytes is complete, and a slow reader slows the server", async () => {
      const body = "0123456789abcdef".repeat(524_288);
      let isSent = false;
      served = await startTestServer(async (incoming, response) => {
        const parts: Buffer[] = [];
        for await (const part of incoming) parts.push(part as Buffer);
        response.end(Buffer.concat(parts), () => {
          isSent = true;
        });
      });
      const answer = await fetchPlain(served.url, { method: "POST", body });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isSent).toBe(false);
      expect((await answer.text()) === body).toBe(true);
    });

    test("NET4 is also received from an IPv6 address", async () => {
      served = await startTestServer((_, response) => void response.end("six"), "::1");
      expect(await (await fetchPlain(served.url)).text()).toBe("six");
    });
  });

  describe("a connection", () => {
    test("NET7 is reused after a response was read to its end", async () => {
      served = await startTestServer((_, response) => void response.end("hello"));
      for (let round = 0; round < 5; round += 1) {
        expect(await (await fetchPlain(served.url)).text()).toBe("hello");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(served.connections).toHaveLength(1);
    });

    test("NET7 that the server closes as the next request arrives is replaced once", async () => {
      let questions = 0;
      served = await startTestServer((incoming, response) => {
        questions += 1;
        if (questions === 2) incoming.socket.destroy();
        else response.end("hello");
      });
      await (await fetchPlain(served.url, { method: "POST", body: "one" })).text();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await (await fetchPlain(served.url, { method: "POST", body: "two" })).text()).toBe("hello");
      expect([questions, served.connections.length]).toEqual([3, 2]);
    });

    test("NET7 is not replaced if it was new or its response had started", async () => {
      let questions = 0;
      served = await startTestServer(({ socket }, response) => {
        questions += 1;
        if (questions === 2) response.end("hello");
        else socket.end(questions === 3 ? "HTTP/1.1 200" : "");
      });
      await expect(fetchPlain(served.url)).rejects.toMatchObject({
        message: "fetch failed",
        cause: { code: "ECONNRESET" },
      });
      await (await fetchPlain(served.url)).text();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await expect(fetchPlain(served.url)).rejects.toThrow("fetch failed");
      expect(questions).toBe(3);
    });

    test("NET7 is closed when its response is cancelled", async () => {
      served = await startTestServer((_, response) => void response.write("and so on"));
      await (await fetchPlain(served.url)).body?.cancel();
      await closed(served.connections[0]);
    });
  });

  describe("an abort", () => {
    test.each(["before it is sent", "before the answer", "while it is read"])(
      "NET5 %s rejects with the given reason and closes the connection",
      async (moment) => {
        const abort = new AbortController();
        const reason = { why: moment };
        served = await startTestServer((_, response) => {
          if (moment === "while it is read") response.write("and so on");
          else abort.abort(reason);
        });
        if (moment === "before it is sent") abort.abort(reason);
        const answer = fetchPlain(served.url, { signal: abort.signal });
        if (moment === "while it is read") {
          const text = (await answer).text();
          abort.abort(reason);
          await expect(text).rejects.toBe(reason);
        } else await expect(answer).rejects.toBe(reason);
        await closed(served.connections[0]);
      },
    );

    test("NET5 leaves no listeners on the signal", async () => {
      const { signal } = new AbortController();
      let listeners = 0;
      const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
      signal.addEventListener = (...args: Parameters<typeof add>) => [listeners++, add(...args)];
      signal.removeEventListener = (...args: Parameters<typeof remove>) => [listeners--, remove(...args)];
      served = await startTestServer((_, response) => void response.end("hello"));
      await (await fetchPlain(served.url, { signal })).text();
      await expect.poll(() => listeners).toBe(0);
    });
  });

  describe("a failure", () => {
    test("NET6 keeps the system's error code, also for a host with several addresses", async () => {
      served = await startTestServer(() => {});
      served.close();
      for (const host of ["127.0.0.1", "localhost"]) {
        const failed = fetchPlain(served.url.replace("127.0.0.1", host), { method: "POST", body: "hi" });
        await expect(failed).rejects.toMatchObject({
          message: "fetch failed",
          cause: { code: "ECONNREFUSED", message: expect.stringContaining("ECONNREFUSED") },
        });
      }
    });

    test("NET6 during a response is the same error as with Node's fetch", async () => {
      served = await startTestServer((_, response) => {
        response.write("and so", () => response.socket?.destroy());
      });
      const text = (await fetchPlain(served.url)).text();
      await expect(text).rejects.toMatchObject({
        name: "TypeError",
        message: "terminated",
        cause: { code: "ECONNRESET" },
      });
    });

    test("NET6 caused by an invalid header does not contain its value", async () => {
      const failed = fetchPlain("http://127.0.0.1:9", { headers: { "x-api-key": "sëcret→" } });
      await expect(failed).rejects.toMatchObject({ code: "ERR_INVALID_CHAR" });
      await expect(failed).rejects.not.toThrow("cret");
    });

    test("NET6 is a timeout if the connection is not accepted", async () => {
      const silent: Server = createServer();
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const { port } = silent.address() as { port: number };
      const failed = fetchPlain(`https://127.0.0.1:${port}`, {}, 50);
      await expect(failed).rejects.toMatchObject({ message: "fetch failed", cause: { code: "ETIMEDOUT" } });
      silent.close();
    });
  });

  /** What differs by nature: when it was told. */
  function listHeaders({ headers }: Response): readonly (readonly [string, string])[] {
    return [...headers].filter(([name]) => name !== "date");
  }
});

describe("redirects", () => {
  const open: RunningServer[] = [];
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });

  const key = { authorization: "Bearer secret", "x-api-key": "secret" };

  test.each([
    ["GET", 301],
    ["GET", 302],
    ["POST", 307],
    ["POST", 308],
  ])("NET8 %s with %i to the same server is followed with key and body", async (method, status) => {
    const { url, questions } = await sendingOn(status, () => "/there");
    const answer = await fetchPlain(`${url}/here`, { method, headers: key, ...(method === "POST" && { body: "hi" }) });
    expect([answer.status, answer.redirected, answer.url]).toEqual([200, true, `${url}/there`]);
    expect(await answer.text()).toBe(method === "POST" ? "hi" : "");
    expect(questions.map(({ headers }) => headers["x-api-key"])).toEqual(["secret", "secret"]);
  });

  test.each(["GET", "POST"])(
    "NET8 %s to another server is refused with an error, and nothing is sent to it",
    async (method) => {
      const other = await sendingOn(200, () => "");
      const { url } = await sendingOn(307, () => `${other.url}/there?token=abc`);
      const failed = fetchPlain(`${url}/here`, { method, headers: key, ...(method === "POST" && { body: "hi" }) });
      await expect(failed).rejects.toThrow(
        `redirected to ${other.url}, a different server, which must not receive the API key`,
      );
      await expect(failed).rejects.not.toThrow("abc");
      expect(other.questions).toEqual([]);
    },
  );

  test("NET8 refuses a redirect that would drop the body", async () => {
    const { url, questions } = await sendingOn(302, () => "/there");
    await expect(fetchPlain(`${url}/here`, { method: "POST", body: "hi" })).rejects.toThrow(
      `redirected to ${url}/there`,
    );
    expect(questions).toHaveLength(1);
  });

  test("NET8 limits the number of redirects", async () => {
    const { url, questions } = await sendingOn(302, (at) => `${at}x`);
    await expect(fetchPlain(`${url}/here`)).rejects.toThrow("more than 5 times");
    expect(questions).toHaveLength(6);
  });

  test("NET8 obeys the redirect modes manual and error", async () => {
    const { url } = await sendingOn(302, () => "/there");
    const answer = await fetchPlain(`${url}/here`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/there"]);
    await expect(fetchPlain(`${url}/here`, { redirect: "error" })).rejects.toThrow("redirected");
  });

  interface SendingOn extends RunningServer {
    readonly questions: readonly IncomingMessage[];
  }

  /** Everything but `/there`, which gives back what it hears. */
  async function sendingOn(status: number, where: (at: string) => string): Promise<SendingOn> {
    const questions: IncomingMessage[] = [];
    const served = await startTestServer((incoming, response) => {
      questions.push(incoming);
      if (incoming.url !== "/there") response.writeHead(status, { location: where(incoming.url ?? "") }).end();
      else incoming.pipe(response);
    });
    open.push(served);
    return { ...served, questions };
  }
});
