/** A host's say in what goes over the line to a provider: more headers, and a look at what comes back. The body is nobody's but ours (c1). */

import type { Hook, HookHost, ModelName } from "@pith/context";

export interface ProviderHooks extends HookHost {
  readonly before_provider_request?: readonly Hook<BeforeProviderRequestEvent, BeforeProviderRequestResult>[];
  readonly after_provider_response?: readonly Hook<AfterProviderResponseEvent>[];
  readonly provider_stream_event?: readonly Hook<ProviderStreamEvent>[];
}

/** Told before every request of a run. */
export interface BeforeProviderRequestEvent {
  readonly type: "before_provider_request";
  readonly model: ModelName;
}

/** Keys, hosts and what belongs to the transport cannot be said here. */
export interface BeforeProviderRequestResult {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Told when the provider has answered, before its words come. */
export interface AfterProviderResponseEvent {
  readonly type: "after_provider_response";
  readonly model: ModelName;
  readonly headers: Readonly<Record<string, string>>;
}

/** Told each piece as the provider sent it. */
export interface ProviderStreamEvent {
  readonly type: "provider_stream_event";
  readonly model: ModelName;
  readonly event: unknown;
}
