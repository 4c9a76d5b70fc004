import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { formatList } from '../../../bin/command/table.ts'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { readNumber, readOptions, texts } from '../../../client/command-line/parse-options.ts'
import { checkOut, findLastRelease } from '../../integration/release-history.ts'
import { generateInNetworkFile } from '../loader/generate-in-network-file.ts'
import { compareUsages, maxRatio } from './compare-usages.ts'
import { type MeasuredFile, measureVersion, type Usages } from './measure-version.ts'
import type { Version } from './measured-process.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Shapes of the generated files; the last one is searched. */
const shapes = ['shared', 'unique', 'referenced'] as const

/** Number of billing codes that searches name. */
const searchedCodes = 10

/**
 * Compares this version with the last release, in turns, by the processor time of whole processes.
 *
 * @throws CommandFailed if this version takes more than `maxRatio` of the release's time for anything
 */
export async function benchRelease(args: readonly string[]): Promise<void> {
  const { values } = readOptions({ args: [...args], options: texts('size', 'rounds', 'release') })
  const size = readNumber('--size', values.size ?? '50', 1, 10_000)
  const rounds = readNumber('--rounds', values.rounds ?? '3', 1, 100)
  const folder = await mkdtemp(join(tmpdir(), 'bench-release-'))
  try {
    const release = await openRelease(values.release, join(folder, 'release'))
    const files: MeasuredFile[] = []
    for (const shape of shapes) files.push(await writeFile(shape, size, folder))
    const usages: Record<'release' | 'present', Usages[]> = { release: [], present: [] }
    const present = { name: 'this version', folder: root }
    // The first round lets both keep their compiled modules.
    for (let round = 0; round <= rounds; round++) {
      process.stderr.write(round === 0 ? 'warming up\n' : `round ${round} of ${rounds}\n`)
      const [before, now] = [await measureVersion(release, files, folder), await measureVersion(present, files, folder)]
      if (round === 0) continue
      usages.release.push(before)
      usages.present.push(now)
    }
    const compared = compareUsages(usages.release, usages.present)
    process.stdout.write(`${formatList(compared, '')}\n`)
    const slower = compared.filter(({ ratio }) => ratio > maxRatio).map(({ what }) => what)
    if (slower.length > 0)
      throw new CommandFailed(`more than ${maxRatio} of the processor time of ${release.name}: ${slower.join('; ')}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param checkout of the release, with its packages; @default - the last release of this checkout's history */
async function openRelease(checkout: string | undefined, folder: string): Promise<Version> {
  if (checkout !== undefined) return { name: 'the release', folder: resolve(checkout) }
  const release = await findLastRelease(root)
  if (release === undefined)
    throw new CommandFailed('the history has no release: name a checkout of one with --release')
  process.stderr.write(`installing ${release.version}\n`)
  await checkOut(root, release.commit, folder)
  return { name: release.version, folder }
}

async function writeFile(shape: (typeof shapes)[number], megabytes: number, folder: string): Promise<MeasuredFile> {
  const path = join(folder, `${shape}.json`)
  await generateInNetworkFile(path, { megabytes, groups: shape, largeItem: 0, seed: 7 })
  return { shape, path, codes: await findFrequentCodes(path) }
}

/** Finds the codes of the items that a file has most often. */
async function findFrequentCodes(path: string): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const text = rest + chunk
    for (const [, code = ''] of text.matchAll(/"billing_code"\s*:\s*"([^"\\]+)"/g))
      counts.set(code, (counts.get(code) ?? 0) + 1)
    // A code that is cut is found with the next chunk, unless it was found already.
    rest = text.slice(text.lastIndexOf(',') + 1)
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  return sorted.slice(0, searchedCodes).map(([code]) => code)
}
