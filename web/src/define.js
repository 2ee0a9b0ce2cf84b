// Registers <svc-camera>. If another copy of the module registered it first, that element stays.

import { SvcCamera } from "./svc-camera.js";

// During server-side rendering there are no custom elements.
const elements = globalThis.customElements;
if (elements && !elements.get("svc-camera")) elements.define("svc-camera", SvcCamera);
