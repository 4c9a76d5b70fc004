import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { LoadProgress, LoadRequest } from '../../../../loader/publish/load-request.ts'
import { buildFile, buildItem } from '../../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const ratesOf = (code: string) => buildFile({ in_network: [buildItem({ billing_code: code })] })

async function createWatched() {
  const warehouse = await createTestWarehouse()
  return {
    ...warehouse,
    /** Loads files. @returns the names of the files that were read */
    async loadReading(request: Partial<LoadRequest>): Promise<readonly string[]> {
      const names: string[] = []
      const onProgress = (progress: LoadProgress) => {
        if (progress.step === 'reading') names.push(basename(progress.file))
      }
      await warehouse.load({ files: [], ...request }, { onProgress }).catch(() => undefined)
      return names
    },
  }
}

describe('a file that an earlier load read', () => {
  it('needs no second reading, and leaves its plan unchanged', async () => {
    await using warehouse = await createWatched()
    const files = [await warehouse.write('a.json', ratesOf('99213'))]
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.loadReading({ files })).toEqual([])
    expect(await warehouse.load({ files })).toMatchObject({ files: [], takenOver: 1, switched: [], unchanged: 1 })
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('needs no second reading after a load that was refused or stopped', async () => {
    await using warehouse = await createWatched()
    const a = await warehouse.write('a.json', ratesOf('99213'))
    const b = await warehouse.write('b.json', 'broken')
    expect(await warehouse.loadReading({ files: [a, b] })).toEqual(['a.json', 'b.json'])
    expect(warehouse.catalogue.entries.size).toBe(0)
    await warehouse.write('b.json', ratesOf('99214'))
    const stopping = new AbortController()
    const onProgress = ({ step }: LoadProgress) => {
      if (step === 'written') stopping.abort(new Error('stopped'))
    }
    const stopped = warehouse.load({ files: [a, b] }, { signal: stopping.signal, onProgress })
    await expect(stopped).rejects.toThrow('stopped')
    expect(await warehouse.loadReading({ files: [a, b] })).toEqual([])
    expect((await warehouse.readRates(gold)).map((row) => row['billing_code']).sort()).toEqual(['99213', '99214'])
  })

  it.each<[title: string, change: Partial<LoadRequest> & { content?: object | Uint8Array }]>([
    ['it has changed but has the same size', { content: ratesOf('99214') }],
    ['it is packed', { content: gzipSync(JSON.stringify(ratesOf('99213'))) }],
    ['--max-skipped is lower', { maxSkipped: 0 }],
    ['--strict is given', { strict: true }],
  ])('must be read again if %s', async (_title, { content, ...options }) => {
    await using warehouse = await createWatched()
    const files = [await warehouse.write('a.json', ratesOf('99213'))]
    await warehouse.loadReading({ files })
    if (content !== undefined) await warehouse.write('a.json', content)
    expect(await warehouse.loadReading({ files, ...options })).toEqual(['a.json'])
  })

  it('must be read again if a file that it refers to has changed, or was missing', async () => {
    await using warehouse = await createWatched()
    const groups = (npi: number) => ({ provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] })
    const reference = { provider_group_id: 1, location: 'https://rates.example/groups.json?Signature=a' }
    const files = [await warehouse.write('a.json', buildFile({ provider_references: [reference] }))]
    expect(await warehouse.loadReading({ files, partial: true })).toEqual(['a.json'])
    await warehouse.write('groups.json', groups(1000000001))
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.loadReading({ files })).toEqual([])
    await warehouse.write('groups.json', groups(1000000002))
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.readRates(gold)).toMatchObject([{ npi: '1000000002' }])
  })

  it('needs no second reading if the limits are more lenient', async () => {
    await using warehouse = await createWatched()
    const files = [await warehouse.write('a.json', ratesOf('99213'))]
    for (const options of [{ strict: true }, { maxSkipped: 0 }, {}, { maxSkipped: 0.5 }]) {
      const names = await warehouse.loadReading({ files, ...options })
      expect(names).toEqual('strict' in options ? ['a.json'] : [])
    }
  })

  it('must be read, but not stored, once more when it comes from another address', async () => {
    await using warehouse = await createWatched()
    const months = await Promise.all(['m1', 'm2'].map((month) => warehouse.write(`${month}/a.json`, ratesOf('99213'))))
    const [first = '', second = ''] = months
    await warehouse.loadReading({ files: [first] })
    const stored = await warehouse.listFiles()
    expect(await warehouse.loadReading({ files: [second] })).toEqual(['a.json'])
    expect(await warehouse.listFiles()).toEqual(stored)
    expect(await warehouse.loadReading({ files: [second] })).toEqual([])
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('must be stored again under another name, so that rows have that name', async () => {
    await using warehouse = await createWatched()
    await warehouse.loadReading({ files: [await warehouse.write('m1/a.json', ratesOf('99213'))] })
    await warehouse.loadReading({ files: [await warehouse.write('m2/b.json', ratesOf('99213'))], replace: true })
    expect(await warehouse.readRates(gold)).toMatchObject([{ source_file: 'b.json' }])
  })

  it('must be read again if the addresses in it are too long to be recorded', async () => {
    await using warehouse = await createWatched()
    const provider_references = await Promise.all(
      Array.from({ length: 201 }, async (_, id) => {
        const group = { npi: [1000000001 + id], tin: { type: 'ein', value: '123456789' } }
        await warehouse.write(`groups-${id}.json`, { provider_groups: [group] })
        return { provider_group_id: id, location: `https://rates.example/${'a'.repeat(1000)}/groups-${id}.json` }
      }),
    )
    const files = [await warehouse.write('a.json', buildFile({ provider_references }))]
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('must be read again if the warehouse no longer has it', async () => {
    await using warehouse = await createWatched()
    const files = [await warehouse.write('a.json', ratesOf('99213'))]
    await warehouse.loadReading({ files })
    await rm(warehouse.root, { recursive: true })
    expect(await warehouse.loadReading({ files })).toEqual(['a.json'])
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('keeps its names, and can be loaded under other ones', async () => {
    await using warehouse = await createWatched()
    const files = [await warehouse.write('a.json', ratesOf('99213'))]
    await warehouse.loadReading({ files })
    expect(await warehouse.loadReading({ files, payer: 'Summit', plan: 'Choice' })).toEqual([])
    expect(await warehouse.readRates({ payer: 'Summit', plan: 'Choice' })).toHaveLength(1)
    expect(await warehouse.readRates(gold)).toHaveLength(1)
  })

  it('counts as the same file by its address, wherever it was downloaded to', async () => {
    await using warehouse = await createWatched()
    const toc = async (signature: string) => {
      const address = `https://rates.example/in-network.json?Expires=1&Key-Pair-Id=K&Signature=${signature}`
      return warehouse.write('toc.json', buildTableOfContents({ plans: [buildPlan('Gold')], files: [address] }))
    }
    await warehouse.write('in-network.json', ratesOf('99213'))
    expect(await warehouse.loadReading({ toc: await toc('a') })).toEqual(['in-network.json'])
    await warehouse.write('elsewhere/x.json', ratesOf('99213'))
    const fileMap = await warehouse.write('map.json', { 'in-network.json': 'elsewhere/x.json' })
    expect(await warehouse.loadReading({ toc: await toc('b'), fileMap })).toEqual([])
  })
})

describe('files that are added', () => {
  it('replace the file of the same address or path, not one with the same name', async () => {
    await using warehouse = await createWatched()
    const codes = async () => (await warehouse.readRates(gold)).map((row) => row['billing_code']).sort()
    const a = await warehouse.write('gold/in-network.json', ratesOf('99210'))
    const b = await warehouse.write('silver/in-network.json', ratesOf('99211'))
    await warehouse.load({ files: [a] })
    await warehouse.load({ files: [b], add: true })
    expect(await codes()).toEqual(['99210', '99211'])
    await warehouse.write('silver/in-network.json', ratesOf('99212'))
    await warehouse.load({ files: [b], add: true })
    expect(await codes()).toEqual(['99210', '99212'])
    const moved = await warehouse.write('c.json', ratesOf('99213'))
    const address = 'https://rates.example/gold/in-network.json'
    const map = async (path: string) => warehouse.write('map.json', { [address]: path })
    await warehouse.load({ files: [a], replace: true, fileMap: await map(a) })
    await warehouse.load({ files: [moved], add: true, fileMap: await map(moved) })
    expect(await codes()).toEqual(['99213'])
  })
})
