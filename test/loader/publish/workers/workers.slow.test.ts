import { describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../../loader/publish/load-request.ts'
import { runInOrder } from '../../../../loader/publish/sources/run-in-order.ts'
import { buildFile, buildItem, buildPrice, type Fields } from '../../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'

const priced = (plan: string, rate: number): Fields =>
  buildFile({ plan_name: plan, in_network: [buildItem({ prices: [buildPrice({ negotiated_rate: rate })] })] })

/** Files of three plans: one is there twice under two names, and two have the same plan. */
const contents: Readonly<Record<string, Fields | string>> = {
  'a.json': priced('Gold', 1),
  'b.json': priced('Silver', 2),
  'same-as-a.json': priced('Gold', 1),
  'c.json': priced('Gold', 3),
  'd.json': priced('Bronze', 4),
}

async function load(files: typeof contents, workers: number, request: Partial<LoadRequest> = {}) {
  await using warehouse = await createTestWarehouse()
  const paths: string[] = []
  for (const [name, content] of Object.entries(files)) paths.push(await warehouse.write(name, content))
  const report = await warehouse
    .load({ files: paths, ...request }, { workers })
    .catch((error: unknown) => String(error))
  const folder = paths[0]?.replace(/[^/]*$/, '') ?? ''
  const shown =
    typeof report === 'string'
      ? report.replaceAll(folder, '')
      : report.files.map(({ file: _file, sourceId: _sourceId, ...facts }) => facts)
  const names = warehouse.listNames().map(({ payer, plan, state }) => [payer, plan, state.status])
  const stored = (await warehouse.listFiles()).length
  return { shown, names, stored, rows: await warehouse.readRates(), workspaces: await warehouse.listWorkspaces() }
}

describe('a load with several workers', () => {
  it('has the catalogue, the rows and the report of one process', async () => {
    const one = await load(contents, 1)
    expect(one.rows).toHaveLength(4)
    expect(await load(contents, 3)).toEqual(one)
  }, 60_000)

  it('is refused for a broken file as one process refuses it', async () => {
    const broken = { ...contents, 'e.json': '{"in_network": [{]}' }
    const one = await load(broken, 1)
    expect(one.shown).toContain('e.json: is not JSON')
    expect(await load(broken, 3)).toEqual(one)
  }, 60_000)

  it('loads the others if one file is broken and --partial is given', async () => {
    const broken = { 'e.json': '{"in_network": [{]}', ...contents }
    const one = await load(broken, 1, { partial: true })
    expect(one.rows).toHaveLength(4)
    expect(await load(broken, 2, { partial: true })).toEqual(one)
  }, 60_000)

  it('ends its workers and leaves no workspace when it is stopped', async () => {
    await using warehouse = await createTestWarehouse()
    const paths: string[] = []
    for (const [name, content] of Object.entries(contents)) paths.push(await warehouse.write(name, content))
    const stopping = new AbortController()
    const reason = new Error('stopped')
    const onProgress = () => stopping.abort(reason)
    const stopped = warehouse.load({ files: paths }, { workers: 2, signal: stopping.signal, onProgress })
    await expect(stopped).rejects.toBe(reason)
    expect(await warehouse.listWorkspaces()).toEqual([])
    expect(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap')).toEqual([])
  }, 60_000)
})

describe('work in order', () => {
  it('settles in order whatever ends first, and starts no more than its width at a time', async () => {
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
    const events: string[] = []
    const done = runInOrder([0, 1, 2, 3], 2, {
      async begin(item) {
        events.push(`begin ${item}`)
        await gates[item]?.promise
        return item
      },
      settle: async (begun) => void events.push(`settle ${begun}`),
      abandon: async () => undefined,
      stop: () => undefined,
    })
    for (const item of [1, 2, 0, 3]) {
      gates[item]?.resolve()
      await new Promise(setImmediate)
    }
    await done
    expect(events).toEqual(['begin 0', 'begin 1', 'begin 2', 'begin 3', 'settle 0', 'settle 1', 'settle 2', 'settle 3'])
  })

  it('stops, and abandons what was started if one fails', async () => {
    const abandoned: number[] = []
    const reasons: unknown[] = []
    const fault = new Error('fault')
    const work = runInOrder([0, 1, 2, 3], 2, {
      begin: async (item) => (item === 0 ? Promise.reject(fault) : item),
      settle: async () => undefined,
      abandon: async (begun) => void abandoned.push(begun),
      stop: (reason) => void reasons.push(reason),
    })
    await expect(work).rejects.toBe(fault)
    expect(reasons).toEqual([fault])
    expect(abandoned).toContain(1)
  })
})
