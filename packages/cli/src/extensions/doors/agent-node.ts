/** Re-exports all of `@pith/agent/node`, for extensions only. */

export * from "@pith/agent/node";
