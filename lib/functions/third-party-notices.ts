import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The inputs of one bundle in esbuild's metafile. */
export type BundleInputs = Metafile['outputs'][string]['inputs']

/** Returns the inputs of all outputs of a build. */
export const collectInputs = ({ outputs }: Metafile): BundleInputs =>
  Object.assign({}, ...Object.values(outputs).map(({ inputs }) => inputs))

/**
 * Collects the licences of the packages in a bundle, which must be passed on with their code.
 *
 * @param root folder that contains `node_modules`
 * @param inputs the bundle's inputs in esbuild's metafile; paths relative to `root`
 * @returns one section for each package: name, version, licence, and the licence's text if the package ships one
 */
export function describeThirdPartyNotices(root: string, inputs: BundleInputs): string {
  const folders = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (findPackageFolder(path) ?? []) : [],
  )
  const sections = [...new Set(folders)].sort().map((folder) => describePackage(join(root, folder)))
  return sections.length === 0 ? 'No third-party code.\n' : sections.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Finds the innermost package of a file, because packages can be nested. */
function findPackageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}

function describePackage(folder: string): string {
  const {
    name: packageName,
    version,
    license = 'unknown',
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${packageName} ${version}\nLicence: ${license}\n${text}`
}
