import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { encodeFile } from '../../../loader/write/encode-file.ts'
import { generateInNetworkFile, groupShapes } from '../../bench/loader/generate-in-network-file.ts'
import { testMachine } from '../../builders/test-machine.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'seeds-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Encodes a file with a seed. @returns its source, and the hashes of its tables by their names */
async function encodeBy(seed: number, path: string) {
  const folder = await openFolder()
  const scratch = join(folder, 'scratch')
  await mkdir(scratch)
  const fileOf = (table: { readonly name: string }, part = 0) => join(folder, `${table.name}-${part}.parquet`)
  const finder = await FileFinder.open([path], undefined)
  const options = { finder, partial: false, maxSkipped: 1, strict: false, machine: testMachine(seed) }
  // In small portions, so that all kinds of tables are emptied, saved and read again.
  const sizes = { prices: 1 << 18, groups: 1 << 18 }
  const encoded = await encodeFile(path, { scratch, fileOf }, { ...options, sizes })
  const names = (await readdir(folder)).filter((name) => name.endsWith('.parquet')).sort()
  const hashes = await Promise.all(
    names.map(async (name) => [
      name,
      createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex'),
    ]),
  )
  return { encoded, hashes }
}

it.each(groupShapes)(
  'writes the same bytes whatever the seed of its hash tables, with groups that are %s',
  async (groups) => {
    const path = join(await openFolder(), 'rates.json')
    await generateInNetworkFile(path, { megabytes: 1, groups, largeItem: 0, seed: 3 })
    const first = await encodeBy(1, path)
    expect(first.hashes.length).toBeGreaterThan(1)
    expect(await encodeBy(2, path)).toEqual(first)
    expect(await encodeBy(3, path)).toEqual(first)
  },
)
