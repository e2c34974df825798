// Bundles the page into the package; started by scripts/page.py.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";

const out = process.argv[2];
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const { metafile } = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "esm",
  splitting: true, // a view is loaded when it is opened
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  target: "es2022",
  legalComments: "linked",
  outdir: out,
  metafile: true,
});
// what the page needs at once is fetched at once, not when it has been read
const main = Object.entries(metafile.outputs).find(([file]) => basename(file) === "main.js");
const links = (main?.[1].imports ?? [])
  .filter((one) => one.kind === "import-statement")
  .map((one) => `    <link rel="modulepreload" href="/assets/${basename(one.path)}" />\n`);
// a page without a server carries its code with it: all of it is one script
await build({
  entryPoints: ["src/standalone/standalone.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "inline",
  outdir: out,
});
await copyFile("standalone.html", `${out}/standalone.html`);
const page = await readFile("index.html", "utf8");
await writeFile(`${out}/index.html`, page.replace("  </head>", `${links.join("")}  </head>`));
