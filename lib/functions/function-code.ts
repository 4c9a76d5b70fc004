import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { type BuildOptions, buildSync, type Metafile } from 'esbuild'
import type { OpenApiDocument } from '../../contract/openapi/openapi-document.ts'
import { renderReferencePage } from '../../contract/openapi/reference-page.ts'
import { pagePaths } from '../../contract/pages.ts'
import { at } from '../../schema/at.ts'
import { type FunctionName, functionNames } from '../../schema/function-names.ts'
import { cacheBundles } from './bundle-cache.ts'
import { type BundleInputs, collectInputs, describeThirdPartyNotices } from './third-party-notices.ts'

const root = join(import.meta.dirname, '../..')

/** CommonJS packages load Node's modules with `require`, which ES modules do not define. */
const requireBanner = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);"

/** Modules of packages that functions never use, with what their bundles contain instead. */
const replacements = {
  '@aws-sdk/credential-provider-node': 'adapters/function-credentials.ts',
  '@modelcontextprotocol/server/_shims': 'client/assistants/form-validator.ts',
}

let bundles: string | undefined

/**
 * Returns the bundle of one function: an ES module with all dependencies, including the SDK, so that a stage runs
 * exactly the code that was tested. The first call in a process bundles all functions, if a source has changed. The
 * bundles are reproducible.
 */
export function functionCode(name: FunctionName): Code {
  bundles ??= cacheBundles('functions', bundleFunctions)
  return Code.fromAsset(join(bundles, name))
}

/** Bundles every function into a temporary folder, which is deleted when the process exits. */
export function bundleFunctions(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'rate-search-bundles-'))
  // The CDK copies assets into its assembly during synthesis.
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }))
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: functionNames.map((name) => ({ in: `lambdas/${name}/index.ts`, out: `${name}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    ...bundling,
    alias: Object.fromEntries(Object.entries(replacements).map(([name, file]) => [name, join(root, file)])),
    metafile: true,
  })
  const pageInputs = buildPage(join(outdir, 'get-page'))
  buildReference(join(outdir, 'get-page'))
  for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
    const folder = join(resolve(root, file), '..')
    const bundleInputs = { ...inputs, ...(basename(folder) === 'get-page' && pageInputs) }
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), describeThirdPartyNotices(root, bundleInputs))
  }
  return outdir
}

/** The scripts of the page: the entry, the views that are loaded when they are needed, and the code that they share. */
const pageScripts = pagePaths
  .filter((path) => path.endsWith('.js'))
  .map((path) => path.slice(1))
  .sort()

/**
 * Builds the page into a folder: `index.html`, its scripts and `app.css`. Everywhere, `{build}` becomes a hash of all
 * scripts and styles, which `build.txt` contains, too. By it the page knows that two scripts are of the same build, and
 * it is part of their addresses, so that browsers keep them.
 *
 * @returns the inputs of the scripts, as esbuild reports them
 */
export function buildPage(folder: string): BundleInputs {
  const shared = { absWorkingDir: root, outdir: folder, bundle: true, minify: true, logLevel: 'warning' } as const
  const { metafile, outputFiles } = buildSync({
    ...shared,
    entryPoints: { app: 'page/main.tsx' },
    // As if every view imported what the page begins with: else each set of views that shares a file has a chunk of its
    // own, and a request.
    inject: ['page/app.tsx'],
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    ...pageScript,
    metafile: true,
    write: false,
  })
  const styles = at(buildSync({ ...shared, entryPoints: { app: 'page/app.css' }, write: false }).outputFiles, 0).text
  const names = nameScripts(metafile.outputs)
  if ([...names.values()].toSorted().join() !== pageScripts.join())
    throw new TypeError(`the page has the scripts ${[...names.values()].join()}`)
  const scripts = outputFiles.map(({ path, text }) => ({
    name: nameOf(path, names),
    text: [...names].reduce(
      (changed, [built, name]) => changed.replaceAll(`./${built}`, `./${name}?build={build}`),
      text,
    ),
  }))
  const browsers = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    Object.entries(oldestBrowsers).map((browser) => browser.join(' ')),
  )
  const index = readFileSync(join(root, 'page/index.html'), 'utf8').replace('{browsers}', browsers)
  const texts = [...scripts, { name: 'app.css', text: styles }]
  const hash = createHash('sha256').update(texts.map(({ text }) => text).join())
  const build = hash.digest('hex').slice(0, 16)
  for (const { name, text } of [...texts, { name: 'index.html', text: index }, { name: 'build.txt', text: '{build}' }])
    writeFileSync(join(folder, name), text.replaceAll('{build}', build))
  return collectInputs(metafile)
}

function nameOf(path: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(basename(path))
  if (name === undefined) throw new TypeError(`${path} has no name`)
  return name
}

/**
 * Returns the names under which scripts are served, by those that esbuild gave them: views are named after their files,
 * `chunk.js` is what the page begins with, and `result-chunk.js` what only views of results share.
 */
function nameScripts(outputs: Metafile['outputs']): ReadonlyMap<string, string> {
  const firstImports = Object.entries(outputs).find(([path]) => basename(path) === 'app.js')?.[1].imports ?? []
  return new Map(
    Object.entries(outputs).map(([path, { entryPoint }]) => {
      const built = basename(path)
      if (built === 'app.js') return [built, built]
      if (entryPoint !== undefined) return [built, basename(entryPoint).replace(/\.tsx?$/, '.js')]
      const isFirst = firstImports.some((imported) => basename(imported.path) === built)
      return [built, isFirst ? 'chunk.js' : 'result-chunk.js']
    }),
  )
}

/** Writes the OpenAPI document and its reference page into a folder, with `{url}` in place of the server's address. */
function buildReference(folder: string): void {
  const text = readFileSync(join(root, 'docs/openapi.json'), 'utf8')
  const document: OpenApiDocument = JSON.parse(text)
  const server = at(document.servers, 0)
  const files = { 'openapi.json': text, 'docs.html': renderReferencePage(document) }
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content.replaceAll(server.url, '{url}'))
  copyFileSync(join(root, 'contract/openapi/reference-page.css'), join(folder, 'docs.css'))
}

/**
 * The oldest browsers that run the page. All of them have ES2024: esbuild writes no newer syntax, and TypeScript admits
 * no newer library (`page/tsconfig.json`).
 */
export const oldestBrowsers = { Chrome: '119', Edge: '119', Firefox: '128', Safari: '17.4' }

/** Settings of esbuild for everything that runs in browsers. */
const pageScript = {
  platform: 'browser',
  target: Object.entries(oldestBrowsers).map(([name, version]) => name.toLowerCase() + version),
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
} satisfies BuildOptions

/** Settings of esbuild for everything that runs on Node.js in AWS. */
export const bundling = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  banner: { js: requireBanner },
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions
