// What the pages of the tests put on their window.

import type * as primitives from "../../src/primitives.js";
import type { SvcCamera } from "../../src/svc-camera.js";
import type { View } from "../../src/view.js";

declare global {
  interface Window {
    // pages.js
    camera: SvcCamera;
    pageEvents: { type: string; detail: any }[];
    violations: string[];
    failures: string[];
    // guide.test.js
    said: string[];
    shared: { name: string; type: string; text: string }[];
    // wake-lock.test.js
    locks: { taken: number; held: number };
    // phone.js waits for this, or for the camera
    ready: boolean | undefined;
    track: MediaStreamTrack | undefined;
    // cameras.js: what was asked for and set, what the next calls fail with, how the picture is, and every track
    mocks: {
      asked: string[];
      applied: object[];
      failures: string[];
      frozen: boolean;
      dark: boolean;
      blurred: boolean;
      tracks: MediaStreamTrack[];
    };
    // compass.js
    compassGranted: boolean | undefined;
    // looks.js
    looks: string[];
    look: (name: string, language: string) => Promise<void>;
    view: View | undefined;
    // place.test.js
    positionAsked: boolean | undefined;
    findPosition: () => void;
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
}
