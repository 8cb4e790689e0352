/** Re-exports all of `@pith/context/host`, for extensions only. */

export * from "@pith/context/host";
