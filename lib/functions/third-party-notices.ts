import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The part of esbuild's report that says which files went into one bundle. */
export type BundleInputs = Metafile['outputs'][string]['inputs']

/**
 * The licences of the packages whose code a bundle contains, which their authors ask to be passed on with it.
 *
 * @param root folder that has `node_modules`
 * @param inputs the bundle's part of esbuild's metafile; paths relative to `root`
 * @returns one section a package: name, version, licence, and the licence's text if the package ships one
 */
export function describeThirdPartyNotices(root: string, inputs: BundleInputs): string {
  const folders = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (findPackageFolder(path) ?? []) : [],
  )
  const sections = [...new Set(folders)].sort().map((folder) => describePackage(join(root, folder)))
  return sections.length === 0 ? 'No third-party code.\n' : sections.join(`\n${'-'.repeat(80)}\n\n`)
}

/** The innermost package that a file belongs to, as packages may bring others with them. */
function findPackageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}

function describePackage(folder: string): string {
  const { name, version, license = 'unknown' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name} ${version}\nLicence: ${license}\n${text}`
}
