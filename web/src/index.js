// Entry point of the package. Importing it registers <svc-camera>.

import "./define.js";

export * from "./primitives.js";
export { SvcCamera } from "./svc-camera.js";
export { ENGLISH, PORTUGUESE, SPANISH } from "./texts.js";
