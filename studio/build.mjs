// Bundles the page into the package; started by scripts/page.py.
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

const out = process.argv[2];
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
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
});
await copyFile("index.html", `${out}/index.html`);
