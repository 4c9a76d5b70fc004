import { access, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../templates/source-files.ts'
import { apiDocument } from '../documents.ts'
import { runOrFail } from './run-or-fail.ts'

/** Uses the types as readers of the document do: by name, and narrowed by `status`. */
const uses = `
type Schemas = components['schemas']
type Manifest = operations['get-manifest']['responses'][200]['content']['application/json']

export const request: Schemas['SearchRequest'] = {
  billing_codes: ['99213'],
  fee_schedules: [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }],
}
export const rowsOf = (manifest: Manifest): number | string =>
  manifest.status === 'completed' ? manifest.rows : manifest.status === 'failed' ? manifest.error : manifest.created_at
export const completed = (manifest: Manifest): Schemas['CompletedManifest'] | undefined =>
  manifest.status === 'completed' ? manifest : undefined
`

/**
 * Generates types with openapi-typescript from the document of a running service, and compiles them with uses of every
 * operation.
 *
 * @param folder empty folder, in which the types are generated
 * @param url base URL of the service
 * @throws CommandFailed with the faults that the generator or the compiler finds
 */
export async function checkTypescript(folder: string, url: string): Promise<void> {
  const generator = join(await installGenerator(), 'node_modules/openapi-typescript/bin/cli.js')
  await runOrFail(process.execPath, [generator, `${url}/openapi.json`, '--output', join(folder, 'rates.d.ts')])
  const answers = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `paths['${path}']['${method}']['responses'][${status}]`),
    ),
  )
  const lines = answers.map((answer, index) => `export type Answer${index} = ${answer}`)
  const source = ["import type { components, operations, paths } from './rates.d.ts'", uses, ...lines].join('\n')
  await writeFile(join(folder, 'uses.ts'), source)
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: false, types: [] },
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await runOrFail(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder])
}

/**
 * Installs the generator with its lockfile below node_modules/.cache, unless that was done before. Outside of
 * node_modules, Vitest would run the tests of its packages.
 */
async function installGenerator(): Promise<string> {
  const manifest = await readFile(join(import.meta.dirname, 'package.json'), 'utf8')
  const version = JSON.parse(manifest).devDependencies['openapi-typescript']
  const folder = join(root, 'node_modules/.cache', `openapi-typescript-${version}`)
  const isInstalled = await access(join(folder, 'node_modules/openapi-typescript')).then(
    () => true,
    () => false,
  )
  if (isInstalled) return folder
  await mkdir(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(import.meta.dirname, name), join(folder, name))
  await runOrFail('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder])
  return folder
}
