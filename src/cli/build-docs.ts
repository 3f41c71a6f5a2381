/**
 * The files of the interactive reference at /docs: Swagger UI as its package ships it, and the lines that start it.
 *
 * They become static assets beside those of the page (build-page.ts), so the page asks nothing of any other server: no
 * CDN, no validator, no fonts. Its licence travels with it.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PACKAGE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt"] as const;

const START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  // The badge of an outside validator would send it the address of this server.
  validatorUrl: null,
  // A key that is typed in is forgotten with the tab.
  persistAuthorization: false,
  tryItOutEnabled: true,
  displayRequestDuration: true,
});
`;

/** File name to content. Throws when the package is not installed. */
export function readDocsFiles(): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>([["docs.js", new TextEncoder().encode(START)]]);
  for (const name of PACKAGE_FILES) {
    files.set(name, readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))));
  }
  return files;
}
