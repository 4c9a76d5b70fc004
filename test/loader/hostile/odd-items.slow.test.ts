import { describe, expect, it } from 'vitest'
import { Portion } from '../../../loader/collect/portion.ts'
import { JsonStream } from '../../../loader/decode/json/json-stream.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const root = {
  reporting_entity_name: 'Harbor',
  reporting_entity_type: 'issuer',
  plan_name: 'Gold',
  last_updated_on: '2026-11-01',
  version: '2.0.0',
}

const fileOf = (items: string) => `${JSON.stringify(root).slice(0, -1)},"in_network":[${items}]}`
const repeat = (count: number, value: string) => Array.from({ length: count }, () => value).join()

const load = async (content: string, options = {}) => {
  await using warehouse = await createTestWarehouse()
  const path = await warehouse.write('rates.json', content)
  return await warehouse.load({ files: [path], ...options }).then(
    () => 'loaded',
    (error: unknown) => String(error),
  )
}

describe('a load of a file of unreadable items', () => {
  it('refuses the file after 100,000 of them, however long it is', async () => {
    for (const count of [150_000, 300_000]) {
      const fault = await load(fileOf(repeat(count, '{}')))
      expect(fault).toContain('100000 of 100000 items would be skipped')
      expect(fault).toContain('more than --max-skipped allows, whatever the rest of the file has')
    }
  })

  it('reads the file to its end if later items could still be enough', async () => {
    const fault = await load(fileOf(repeat(150_000, '{}')), { maxSkipped: 0.2 })
    expect(fault).toContain('150000 of 150000 items would be skipped')
    expect(fault).not.toContain('whatever the rest')
  })
})

it('holds one item of any number without rates and rows', () => {
  const weigh = (count: number) => {
    const portion = new Portion()
    for (let index = 0; index < count; index++) portion.addItem(index, 'unusable')
    expect(portion.items).toEqual([{ index: count - 1, firstRate: 0, outcome: 'unusable' }])
    return portion.weight
  }
  expect(weigh(2000)).toBe(weigh(1000))
})

it('holds the items that have rates or rows', () => {
  const portion = new Portion()
  portion.addItem(0, 'unusable')
  portion.addRate(0, 0, 1)
  portion.addItem(1, 'filtered')
  portion.addRate(2, 0, 1)
  portion.addItem(3, [])
  portion.addItem(4, 'unusable')
  expect(portion.items.map(({ index, firstRate }) => [index, firstRate])).toEqual([
    [0, 0],
    [2, 1],
    [3, 2],
    [4, 2],
  ])
})

it('gives timers and signals a turn while it reads many elements that are in memory', async () => {
  const turnsFor = async (count: number) => {
    async function* inOneChunk() {
      yield Buffer.from(`[${repeat(count, '1')}]`)
    }
    const stream = new JsonStream(inOneChunk())
    let turns = 0
    let isRead = false
    const takeTurn = () => {
      turns++
      if (!isRead) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    for await (const _ of stream.elements(() => '')) await stream.read({ path: () => '', limit: 10 })
    isRead = true
    return turns
  }
  const turns = await turnsFor(200_000)
  expect(turns).toBeGreaterThan(2)
  expect(await turnsFor(400_000)).toBeGreaterThan(turns + 2)
})
