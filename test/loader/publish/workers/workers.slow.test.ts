import { describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../../loader/publish/load-request.ts'
import { workInTurn } from '../../../../loader/publish/sources/read-sources.ts'
import { buildFile, buildItem, buildPrice, type Fields } from '../../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'

const priced = (plan: string, rate: number): Fields =>
  buildFile({ plan_name: plan, in_network: [buildItem({ prices: [buildPrice({ negotiated_rate: rate })] })] })

/** Files of three plans. One file is there twice under two names, and two files have the same plan. */
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
  it('makes the same catalogue, rows and report as one process', async () => {
    const one = await load(contents, 1)
    expect(one.rows).toHaveLength(4)
    expect(await load(contents, 3)).toEqual(one)
  }, 60_000)

  it('refuses a broken file as one process does', async () => {
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

describe('work in turn', () => {
  it('ends in order, and begins no more items at a time than its width', async () => {
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
    const events: string[] = []
    const done = workInTurn(gates, 2, new AbortController(), async (gate, item, untilTurn) => {
      events.push(`begin ${item}`)
      await gate.promise
      await untilTurn()
      events.push(`end ${item}`)
      return item
    })
    for (const item of [1, 2, 0, 3]) {
      gates[item]?.resolve()
      await new Promise(setImmediate)
    }
    expect(await done).toEqual([0, 1, 2, 3])
    expect(events).toEqual(['begin 0', 'begin 1', 'begin 2', 'begin 3', 'end 0', 'end 1', 'end 2', 'end 3'])
  })

  it('ends each item before it begins the next, with a width of 1', async () => {
    const events: string[] = []
    await workInTurn([0, 1], 1, new AbortController(), async (item, _index, untilTurn) => {
      events.push(`begin ${item}`)
      await untilTurn()
      await new Promise(setImmediate)
      events.push(`end ${item}`)
    })
    expect(events).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1'])
  })

  it.each([1, 2])('ends no further item after one has failed, with a width of %i', async (width) => {
    const stopping = new AbortController()
    const events: string[] = []
    const fault = new Error('fault')
    const work = workInTurn([0, 1, 2, 3], width, stopping, async (item, _index, untilTurn) => {
      stopping.signal.throwIfAborted()
      events.push(`begin ${item}`)
      if (item === 0) throw fault
      await untilTurn()
      events.push(`end ${item}`)
    })
    await expect(work).rejects.toBe(fault)
    expect(stopping.signal.reason).toBe(fault)
    expect(events.filter((event) => event.startsWith('end'))).toEqual([])
    if (width === 1) expect(events).toEqual(['begin 0'])
  })
})
