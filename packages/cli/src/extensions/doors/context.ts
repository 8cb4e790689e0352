/** Re-exports all of `@pith/context`, for extensions only. */

export * from "@pith/context";
