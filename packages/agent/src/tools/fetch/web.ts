/** The port to the web: opens an address and says what is there, or why it did not go there. It must never go where its machine alone can go. */

export interface Web {
  open(url: string, act: WebAct): Promise<WebOpened>;
}

export interface WebAct {
  readonly signal: AbortSignal;
  /** No more than so many are taken of a page, counted as unpacked. */
  readonly mostBytes: number;
}

export type WebOpened = WebPage | WebRefused | WebFailed;

export interface WebPage {
  readonly type: "page";
  /** Where it was found in the end, after all redirects. */
  readonly url: string;
  readonly status: number;
  /** As the server calls it, with its charset; null where it does not say. */
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
  /** False where more was there than taken. */
  readonly isWhole: boolean;
}

/** We do not go there, whoever asks. */
export interface WebRefused {
  readonly type: "refused";
  readonly why:
    | "malformed"
    | "scheme"
    | "credentials"
    | "spelling"
    | "name"
    | "port"
    | "address"
    | "downgrade"
    | "elsewhere"
    | "too-many-redirects";
  readonly message: string;
}

/** We went, and nothing came of it. */
export interface WebFailed {
  readonly type: "failed";
  readonly why: "unresolved" | "unreachable" | "timeout" | "aborted" | "broken";
  readonly message: string;
}
