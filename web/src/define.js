// Makes <svc-camera> known to the document. Where another copy of the module was faster, its element stays.

import { SvcCamera } from "./svc-camera.js";

if (!customElements.get("svc-camera")) customElements.define("svc-camera", SvcCamera);
