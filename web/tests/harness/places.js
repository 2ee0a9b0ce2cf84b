// Paths of the project.

import { join } from "node:path";

/** Root of the workspace. */
export const ROOT = join(import.meta.dirname, "../../..");
/** Folder of `@lacre/svc-camera`. */
export const PACKAGE = join(ROOT, "web");
/** Folder of the workspace's binaries. */
export const PROGRAMS = join(process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target"), "debug");
/** Folder of the browser tests' output. */
export const ARTIFACTS = join(ROOT, "target/web");
