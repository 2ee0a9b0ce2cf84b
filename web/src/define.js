// Makes <svc-camera> known to the document. Where another copy of the module was faster, its element stays.

import { SvcCamera } from "./svc-camera.js";

// Pages are also rendered on servers, where no elements are.
const elements = globalThis.customElements;
if (elements && !elements.get("svc-camera")) elements.define("svc-camera", SvcCamera);
