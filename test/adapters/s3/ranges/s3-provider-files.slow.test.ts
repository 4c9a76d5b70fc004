import { hash, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callLimits, type ReadLimits } from '../../../../adapters/s3/ranges/bounded-reads.ts'
import { openS3ProviderFiles } from '../../../../adapters/s3/ranges/s3-provider-files.ts'
import { createS3WarehouseFiles } from '../../../../adapters/s3/s3-warehouse-files.ts'
import type { NppesMonth } from '../../../../core/nppes/nppes-months.ts'
import type { Provider } from '../../../../core/vocabulary/ports.ts'
import { loadNppes } from '../../../../loader/nppes/load-nppes.ts'
import { openWarehouse } from '../../../../loader/publish/warehouse/warehouse-folder.ts'
import { writeNppes } from '../../../../local/samples/generator/nppes-layout.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { createMemoryProviderFiles } from '../../../doubles/vocabulary/memory-provider-files.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'
import { nppesLine } from '../../../loader/nppes/nppes-builder.ts'

const { resultsBucket } = connectEndpoints()
const location = `s3://${resultsBucket}/${randomUUID()}/`

const oddNames = [
  ...["ARDALAN O'NEIL", 'MARIA GARCIA-LOPEZ', 'JOSÉ MUÑOZ', 'A-1 MEDICAL, INC.', 'BLUEHARBOR CLINIC', '中 CLINIC'],
  ...['JEAN-LUC D’ARCY', 'SMITH, JONES & "SONS"', 'ΆΝΝΑ ΠΑΠΠΆ', "'", '-', null],
]
const states = ['CA', 'CO', 'ID', 'ONTARIO', 'OR', 'WA', null]
const pick = <Value>(values: readonly Value[], index: number): Value | undefined => values[index % values.length]

const makeLongName = (index: number) => `PERSON ${index % 97} HARBOR ${hash('sha256', String(index), 'base64url')}`

/** Enough providers for several row groups. Each state has ZIP codes of other states too, and names repeat. */
const providers: readonly Provider[] = Array.from({ length: 12_000 }, (_, index) => ({
  npi: 1000000000 + index * 7,
  name: index % 4 === 0 ? (pick(oddNames, index / 4) ?? null) : makeLongName(index),
  taxonomy: index % 3 === 0 ? null : `20${index % 7}X00000X`,
  city: index % 4 === 0 ? null : 'PORTLAND',
  state: pick(states, index * 31 + Math.floor(index / 64)) ?? null,
  zip: index % 11 === 0 ? null : String(90000 + ((index * 13) % 300)),
}))

const memory = createMemoryProviderFiles(providers)

let folder: string
let month: NppesMonth & Required<Pick<NppesMonth, 'directory'>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-files-'))
  const path = join(folder, 'npidata_pfile_20050523-20261109.csv')
  const lines = providers.map(({ npi, name, taxonomy, city, state, zip }) =>
    nppesLine(
      {
        npi: String(npi),
        entityType: '2',
        organization: name ?? '',
        city: city ?? '',
        state: state ?? '',
        zip: zip ?? '',
      },
      { 'Healthcare Provider Taxonomy Code_1': taxonomy ?? '' },
    ),
  )
  await writeFile(path, writeNppes(lines))
  const warehouse = openWarehouse({ files: createS3WarehouseFiles(location), workspaces: join(folder, 'workspaces') })
  const deps = { warehouse, contents: createMemoryContents(), newId: randomUUID, now: () => new Date() }
  const { nppesMonth } = await loadNppes({ path }, deps)
  const { directory } = nppesMonth
  if (directory === undefined) throw new TypeError('the load wrote no directory')
  month = { ...nppesMonth, directory }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const open = (limits: Partial<ReadLimits> = {}, now = () => new Date()) =>
  openS3ProviderFiles(location, now, { ...callLimits, ...limits })

/** Opens the files with a count of the bytes and requests that are read. */
function openCounted() {
  const client = new S3Client({})
  const sums = { bytes: 0, requests: 0 }
  client.middlewareStack.add(
    (next) => async (args) => {
      const [, start = '', end = ''] = /bytes=(\d+)-(\d+)/.exec(String(Reflect.get(args.input, 'Range'))) ?? []
      sums.bytes += Number(end) - Number(start) + 1
      sums.requests += 1
      return next(args)
    },
    { step: 'initialize' },
  )
  return { files: openS3ProviderFiles(location, () => new Date(), callLimits, client), sums }
}

/** Bytes that are read of each file for its footer, and what lies before it. */
const footerBytes = 65_536

describe('the files of a month of NPPES in S3', () => {
  it('find each provider by its NPI, and no others', async () => {
    const files = open()
    for (const provider of [providers[0], providers[7321], providers.at(-1)])
      expect(await files.findByNpi(month, provider?.npi ?? 0)).toEqual({ providers: [provider] })
    for (const npi of [1000000001, 1999999999, 9999999999])
      expect(await files.findByNpi(month, npi)).toEqual({ providers: [] })
  })

  it('give the same providers as a comparison with all of them, in the same order', async () => {
    const query = fc.record({
      state: fc.constantFrom('CA', 'OR', 'WA', 'XX', undefined),
      zip: fc.option(fc.integer({ min: 89999, max: 90301 }).map(String), { nil: undefined }),
      taxonomy: fc.constantFrom('201X00000X', '209X00000X', undefined),
      q: fc.constantFrom(
        'person',
        'harbor 9',
        'munoz',
        'oneil',
        'garcia lop',
        'αννα',
        '中',
        'zzz',
        'harbr persn',
        undefined,
      ),
      limit: fc.constantFrom(1, 5, 50),
    })
    const files = open()
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        expect(await files.findByArea(month, asked)).toEqual(await memory.findByArea(month, asked))
      }),
      { numRuns: 150 },
    )
  })

  it('give answers from small parts: a row group for an NPI, and few for a ZIP code', async () => {
    const byNpi = openCounted()
    await byNpi.files.findByNpi(month, 1000000070)
    expect(byNpi.sums.requests).toBeLessThanOrEqual(3)
    const byZip = openCounted()
    const { providers: found } = await byZip.files.findByArea(month, { state: 'OR', zip: '90013', limit: 50 })
    expect(found.length).toBeGreaterThan(0)
    const whole = openCounted()
    await whole.files.findByArea(month, { q: 'zzz', limit: 50 })
    expect(byZip.sums.bytes - footerBytes).toBeLessThan((whole.sums.bytes - footerBytes) / 3)
    expect(whole.sums.bytes).toBeLessThan(month.directory.bytes + footerBytes)
  })

  it('give the names that a mistyped word means, without further reads', async () => {
    const [known, mistyped] = [openCounted(), openCounted()]
    const asked = { state: 'OR', limit: 1 }
    await known.files.findByArea(month, { ...asked, q: 'nobody7' })
    const { providers: found } = await mistyped.files.findByArea(month, { ...asked, q: 'munzo' })
    expect(found).toMatchObject([{ name: 'JOSÉ MUÑOZ' }])
    // The other columns of what was found are read beside the names.
    expect(mistyped.sums.requests).toBeLessThanOrEqual(known.sums.requests + 6)
    expect(mistyped.sums.bytes).toBeLessThan(known.sums.bytes * 1.5)
  })

  it('stay closed beyond a limit of bytes, which the answer names', async () => {
    expect(await open({ bytes: 100 }).findByNpi(month, 1000000070)).toEqual({ providers: [], stoppedBy: 'bytes' })
    const asked = { state: 'OR', q: 'person 96', limit: 50 }
    const all = await open().findByArea(month, asked)
    const some = await open({ bytes: month.directory.bytes / 2 }).findByArea(month, asked)
    expect(all.stoppedBy).toBeUndefined()
    expect(some.stoppedBy).toBe('bytes')
    expect(all.providers).toEqual(expect.arrayContaining([...some.providers]))
  })

  it('stay closed after a limit of time, which the answer names', async () => {
    let seconds = 0
    const now = () => new Date(1000 * seconds++)
    const asked = { state: 'OR', q: 'zzz', limit: 50 }
    expect(await open({ milliseconds: 3000 }, now).findByArea(month, asked)).toEqual({
      providers: [],
      stoppedBy: 'time',
    })
  })
})
