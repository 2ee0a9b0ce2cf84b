// What the pages of the tests put on their window.

import type * as primitives from "../../src/primitives.js";
import type { SvcCamera } from "../../src/svc-camera.js";

declare global {
  interface Window {
    // pages.js
    camera: SvcCamera;
    pageEvents: { type: string; detail: any }[];
    violations: string[];
    failures: string[];
    // wake-lock.test.js
    locks: { taken: number; held: number };
    // phone.js waits for this, or for the camera
    ready: boolean | undefined;
    track: MediaStreamTrack | undefined;
    // compass.js
    compassGranted: boolean | undefined;
    // camera.test.js
    generator: MediaStreamTrackGenerator;
    // primitives.test.js, slow.test.js, pages.test.js
    svc: typeof primitives;
    // slow.test.js
    parts: number;
    trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
    // package.test.js
    unmount: () => void;
    signedPhoto: Blob | null;
    // measure.test.js
    longTasks: { startTime: number; duration: number }[];
  }

  // camera.test.js: Chromium's, which TypeScript does not know.
  class MediaStreamTrackGenerator extends MediaStreamTrack {
    constructor(init: { kind: "video" });
    readonly writable: WritableStream<VideoFrame>;
  }
}
