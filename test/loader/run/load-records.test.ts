import { describe, expect, it } from 'vitest'
import { describeLoad } from '../../../bin/aws-loads/describe-load.ts'
import { findUndoable, rollBackLoad } from '../../../core/switching/roll-back.ts'
import { LoadCancelled } from '../../../loader/run/load-watch.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const readFiles = async (warehouse: TestWarehouse) =>
  (await warehouse.readRates()).map((row) => [row['plan'], row['source_file']].join(': ')).sort()

/** Loads one file for each of these plans. */
async function load(warehouse: TestWarehouse, month: string, plans: readonly string[], options = {}) {
  const files: string[] = []
  for (const plan of plans)
    files.push(await warehouse.write(`${month}-${plan}.json`, buildFile({ plan_name: plan, version: month })))
  return warehouse.load({ files, replace: true }, options)
}

/** As `npm run loads -- rollback`. */
async function rollBack(warehouse: TestWarehouse, loadId: string) {
  let ids = 0
  const { folder, catalogue, contents } = warehouse
  const now = () => new Date('2026-11-20T10:00:00Z')
  const deps = { warehouse: folder, catalogue, contents, newId: () => `undo${ids++}`, now }
  return rollBackLoad(await findUndoable(loadId, deps), deps)
}

describe('the record of a load', () => {
  it('counts what a completed load has done', async () => {
    await using warehouse = await createTestWarehouse()
    const { loadId } = await load(warehouse, 'a', ['Gold', 'Silver'])
    const counts = { files: 2, takenOver: 0, switched: 2, unchanged: 0, removed: 0, leftOut: 0 }
    expect(await warehouse.records.read(loadId)).toMatchObject({ state: 'completed', counts })
  })

  it('stores the reasons why plans were left out, whether the load completed or not', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('a.json', buildFile())
    const toc = await warehouse.write(
      'toc.json',
      buildTableOfContents(
        { plans: [buildPlan('Gold')], files: ['https://rates.example/a.json'] },
        { plans: [buildPlan('Tin'), buildPlan('Bronze')], files: ['https://rates.example/gone.json'] },
      ),
    )
    const { loadId } = await warehouse.load({ files: [], toc })
    const reason = /^Blue Harbor Health \/ Tin .*, Blue Harbor Health \/ Bronze .*: a listed file is missing/
    expect((await warehouse.records.read(loadId))?.leftOut).toEqual([expect.stringMatching(reason)])
    await expect(warehouse.load({ files: [], toc, maxFailed: 0.1 })).rejects.toThrow('--max-failed')
    const failed = (await warehouse.records.list()).find(({ state }) => state === 'failed')
    expect(failed?.leftOut).toEqual([expect.stringMatching(reason)])
  })

  it('announces its changes again if it was taken for dead while it switched', async () => {
    await using warehouse = await createTestWarehouse()
    const { records } = warehouse
    warehouse.catalogue.beforeReplace = async () => {
      for (const note of await records.listUnannounced()) await records.noteAnnounced(note)
    }
    const { loadId } = await load(warehouse, 'a', ['Gold'])
    expect(await records.listUnannounced()).toMatchObject([{ loadId }])
  })

  it('names what a load switched and removed', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('a.json', buildFile())
    const loadToc = async (name: string, ...plans: readonly string[]) => {
      const entry = { plans: plans.map((plan) => buildPlan(plan)), files: ['https://rates.example/a.json'] }
      const { loadId } = await warehouse.load({
        files: [],
        toc: await warehouse.write(name, buildTableOfContents(entry)),
      })
      return warehouse.records.read(loadId)
    }
    await loadToc('one.json', 'Gold', 'Silver')
    const record = await loadToc('one.json', 'Gold', 'Bronze')
    const id = '(HIOS 0123456789)'
    const changed = [`removed: Blue Harbor Health / Silver ${id}`, `switched: Blue Harbor Health / Bronze ${id}`]
    expect(record?.changed).toEqual(changed)
    expect(record && describeLoad(record)).toContain(`, 0 left out\n${changed.join('\n')}`)
  })

  it('fits into one item of DynamoDB, and counts the changes that it does not name', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('a.json', buildFile())
    const plans = Array.from({ length: 230 }, (_, index) => buildPlan(`${'計'.repeat(170)} ${index}`))
    const entry = { plans, files: ['https://rates.example/a.json'] }
    const { loadId } = await warehouse.load({
      files: [],
      toc: await warehouse.write('toc.json', buildTableOfContents(entry)),
    })
    const { changed = [] } = (await warehouse.records.read(loadId)) ?? {}
    expect(changed).toHaveLength(201)
    expect(changed.at(-1)).toBe('and 30 more')
    // Besides 200 refused files and 20 reasons of 400 characters.
    const bytes = Buffer.byteLength(changed.join('')) + 220 * 400 * 3
    expect(bytes).toBeLessThan(400_000)
  })

  it('stores the reason of a failed load', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('a.json', '{"in_network": []}')
    await expect(warehouse.load({ files: [path] })).rejects.toThrow()
    const [record] = await warehouse.records.list()
    expect(record).toMatchObject({ state: 'failed', from: path, reason: expect.stringContaining(path) })
  })
})

describe('a cancelled load', () => {
  it('switches nothing, even if it is cancelled after its last file', async () => {
    await using warehouse = await createTestWarehouse()
    await load(warehouse, 'a', ['Gold'])
    const cancelling = load(warehouse, 'b', ['Gold'], {
      onProgress: async ({ step }: { readonly step: string }) => {
        if (step !== 'written') return
        for (const { loadId, state } of await warehouse.records.list())
          if (state === 'running') await warehouse.records.cancel(loadId)
      },
    })
    await expect(cancelling).rejects.toThrow(LoadCancelled)
    expect(await readFiles(warehouse)).toEqual(['Gold: a-Gold.json'])
    expect((await warehouse.records.list()).map(({ state }) => state).sort()).toEqual(['cancelled', 'completed'])
  })

  it('ends at its next sign of life while it reads', async () => {
    await using warehouse = await createTestWarehouse()
    let look = () => {}
    const cancelling = load(warehouse, 'a', ['Gold', 'Silver'], {
      repeat: (_seconds: number, call: () => void) => {
        look = call
        return { stop: () => {} }
      },
      onProgress: ({ step }: { readonly step: string }) => {
        if (step !== 'reading') return
        void warehouse.records.list().then(async ([record]) => {
          await warehouse.records.cancel(record?.loadId ?? '')
          look()
        })
      },
    })
    await expect(cancelling).rejects.toThrow(LoadCancelled)
    expect(warehouse.listNames()).toEqual([])
  })
})

describe('the rollback of a load', () => {
  it('restores what each of its fee schedules had, removes new ones, and keeps what was changed since', async () => {
    await using warehouse = await createTestWarehouse()
    await load(warehouse, 'a', ['Gold', 'Silver'])
    const { loadId } = await load(warehouse, 'b', ['Gold', 'Silver', 'Bronze'])
    await load(warehouse, 'c', ['Silver'])
    const { switched } = await rollBack(warehouse, loadId)
    expect(switched.map(({ plan, state }) => `${plan} ${state.status}`).sort()).toEqual([
      ...['Bronze (HIOS 0123456789) removed', 'Bronze removed'],
      ...['Gold (HIOS 0123456789) active', 'Gold active'],
    ])
    expect(await readFiles(warehouse)).toEqual(['Gold: a-Gold.json', 'Silver: c-Silver.json'])
    expect((await rollBack(warehouse, loadId)).switched).toEqual([])
  })
})
