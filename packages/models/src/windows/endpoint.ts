/** Where a model is served: the name under which its window is remembered, and whether that is a machine of one's own. */

/** One name per endpoint and model. Keys and passwords in the URL stay out of it, since it is written to disk. */
export function endpointKey(baseUrl: string, model: string): string {
  return `${place(baseUrl)} ${model}`;
}

function place(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  // `localhost:1234` parses as a URL of the scheme "localhost"; that and a provider's bare name stand for themselves.
  if (!url || !/^https?:$/.test(url.protocol)) return baseUrl.replace(/[?#].*$/s, "").replace(/^.*@/s, "");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Whether the host is this machine or one in the house: loopback, a private address, a name without a domain. */
export function isLocal(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname.toLowerCase() ?? "";
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe80)/.test(host) || host.startsWith("[::ffff:7f");
  if (/^\d+(?:\.\d+){3}$/.test(host)) return isPrivate(host.split(".").map(Number));
  return host !== "" && (!host.includes(".") || /\.(?:localhost|local|lan|internal|home\.arpa)$/.test(host));
}

function isPrivate([first = 0, second = 0]: readonly number[]): boolean {
  if (first === 127 || first === 10 || first === 0) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}
