/** Re-exports all of `@pith/context/secrets`, for extensions only. */

export * from "@pith/context/secrets";
