import { describe, expect, it } from 'vitest'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { buildFile, buildGroup, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }

/** A file with these numbers of codes and NPIs; each code has a rate for each NPI. */
function fileOf({ codes = 4, npis = 4, prices = 1 }: { codes?: number; npis?: number; prices?: number }) {
  const group = buildGroup({ npi: Array.from({ length: npis }, (_, index) => 1000000001 + index) })
  return buildFile({
    provider_references: [buildReference({ provider_groups: [group] })],
    in_network: Array.from({ length: codes * prices }, (_, index) =>
      buildItem({ billing_code: `9${1000 + (index % codes)}`, name: `Item ${index}` }),
    ),
  })
}

async function createLoaded(content: object) {
  const warehouse = await createTestWarehouse()
  const load = async (next: object, options: Partial<LoadRequest> = {}) =>
    warehouse.load({ files: [await warehouse.write('a.json', next)], ...options })
  await load(content)
  return { ...warehouse, loadNext: load }
}

const depsOf = (warehouse: TestWarehouse) => {
  let ids = 0
  const newId = () => `change${ids++}`
  return { ...warehouse, warehouse: warehouse.folder, newId, now: () => new Date('2026-11-20T09:30:00.123Z') }
}

describe('a load that would shrink a fee schedule', () => {
  it.each([
    ['rates', fileOf({ prices: 4 }), fileOf({}), 'it has 64 rates now and would have 16'],
    ['billing codes', fileOf({}), fileOf({ codes: 1, prices: 4 }), 'it has 4 billing codes now and would have 1'],
    ['NPIs', fileOf({}), fileOf({ codes: 16, npis: 1 }), 'it has 4 NPIs now and would have 1'],
  ])('needs --replace if it has fewer %s, and the message has both counts', async (_title, before, after, fault) => {
    await using loaded = await createLoaded(before)
    const rows = await loaded.readRates(gold)
    await expect(loaded.loadNext(after)).rejects.toThrow(fault)
    expect(await loaded.readRates(gold)).toEqual(rows)
    await loaded.loadNext(after, { replace: true })
    expect(await loaded.readRates(gold)).not.toEqual(rows)
  })

  it('refuses a loss beyond --max-shrink', async () => {
    await using loaded = await createLoaded(fileOf({ codes: 4 }))
    await expect(loaded.loadNext(fileOf({ codes: 3 }), { maxShrink: 0.2 })).rejects.toThrow(
      '16 rates now and would have 12',
    )
    await loaded.loadNext(fileOf({ codes: 3 }), { maxShrink: 0.25 })
    await expect(loaded.loadNext(fileOf({ codes: 1 }))).rejects.toThrow('12 rates now and would have 4')
    await loaded.loadNext(fileOf({ codes: 2 }))
    await loaded.loadNext(fileOf({ codes: 1 }))
    expect(await loaded.readRates(gold)).toHaveLength(4)
  })

  it('refuses fewer files than before, unless a table of contents lists only these', async () => {
    await using loaded = await createLoaded(fileOf({}))
    const b = await loaded.write('b.json', fileOf({ codes: 2 }))
    await loaded.load({ files: [b], add: true })
    await expect(loaded.loadNext(fileOf({ codes: 16 }))).rejects.toThrow('it has 2 files now and would have 1')
    const { issuer_name: issuer, plan_name: plan, ...id } = fileOf({})
    const listed = buildPlan(plan, { issuer_name: issuer, plan_id: id['plan_id'], plan_id_type: 'HIOS' })
    const toc = await loaded.write(
      'toc.json',
      buildTableOfContents({ plans: [listed], files: ['https://a.example/b.json'] }),
    )
    await loaded.write('b.json', fileOf({ codes: 5 }))
    await loaded.load({ files: [], toc })
    expect(await loaded.readRates(gold)).toHaveLength(20)
  })
})

describe('a load of fewer files than a plan has', () => {
  /** Loads files with these names and one rate each. */
  async function loadNamed(warehouse: TestWarehouse, names: readonly string[], options: Partial<LoadRequest> = {}) {
    const files: string[] = []
    for (const name of names) files.push(await warehouse.write(name, buildFile({ version: name })))
    await warehouse.load({ files, ...options })
  }
  const readFiles = async (warehouse: TestWarehouse) =>
    (await warehouse.readRates()).map((row) => row['source_file']).sort()

  it('refuses the load unless --replace is given', async () => {
    await using warehouse = await createTestWarehouse()
    await loadNamed(warehouse, ['a.json', 'b.json'])
    await expect(loadNamed(warehouse, ['a.json'])).rejects.toThrow('has 2 files now and would have 1')
    await loadNamed(warehouse, ['c.json'], { replace: true })
    expect(await readFiles(warehouse)).toEqual(['c.json'])
  })

  it('adds to the active files with --add, and keeps unchanged ones', async () => {
    await using warehouse = await createTestWarehouse()
    await loadNamed(warehouse, ['a.json', 'b.json'])
    await loadNamed(warehouse, ['b.json'], { add: true })
    expect(await readFiles(warehouse)).toEqual(['a.json', 'b.json'])
    expect(warehouse.contents.sources.size).toBe(2)
  })
})

describe('a name that differs from another only by case', () => {
  it.each([
    [
      'payer',
      { issuer_name: 'BLUE HARBOR HEALTH' },
      'its payer is also spelled "Blue Harbor Health": choose one with --payer',
    ],
    ['plan', { plan_name: 'HARBOR PPO Gold' }, 'it is also spelled "Harbor PPO Gold": choose one with --plan'],
  ])("needs the operator's confirmation for a %s", async (role, fields, fault) => {
    await using loaded = await createLoaded(buildFile())
    const files = [await loaded.write('b.json', buildFile(fields))]
    await expect(loaded.load({ files })).rejects.toThrow(fault)
    const name = Object.values(fields)[0]
    await loaded.load({ files, [role]: name })
    expect(loaded.listNames()).toContainEqual(expect.objectContaining({ [role]: name }))
  })
})

describe('an older publication', () => {
  const older = 'it was last updated on 2026-11-01, and its files on 2026-10-01: load newer ones, or use --allow-older'

  it('refuses older files, also with --replace, unless --allow-older is given', async () => {
    await using loaded = await createLoaded(buildFile())
    const october = buildFile({ last_updated_on: '2026-10-01', version: '1' })
    await expect(loaded.loadNext(october)).rejects.toThrow(older)
    await expect(loaded.loadNext(october, { replace: true })).rejects.toThrow(older)
    expect(await loaded.readRates(gold)).toMatchObject([{ last_updated_on: '2026-11-01' }])
    await loaded.loadNext(october, { allowOlder: true })
    expect(await loaded.readRates(gold)).toMatchObject([{ last_updated_on: '2026-10-01' }])
  })

  it.each([
    ['of the same day', '2026-11-01'],
    ['without a day', undefined],
    ['with a blank day', ' '],
  ])('accepts a publication %s', async (_title, day) => {
    await using loaded = await createLoaded(buildFile())
    await loaded.loadNext(buildFile({ last_updated_on: day, version: '1' }))
    expect(await loaded.readRates(gold)).toHaveLength(1)
  })

  it.each([['2026-02-30'], ['31/12/2026'], ['soon'], [true], [2026], [['2026-12-01']]])(
    'refuses the day %j, which cannot be compared, on either side, unless --allow-older is given',
    async (day: unknown) => {
      await using loaded = await createLoaded(buildFile())
      const stating = (last_updated_on: unknown, version: string) => buildFile({ last_updated_on, version })
      const shown = JSON.stringify(typeof day === 'string' ? day : JSON.stringify(day))
      await expect(loaded.loadNext(stating(day, '1'))).rejects.toThrow(`its files were last updated on ${shown}`)
      expect(await loaded.readRates(gold)).toMatchObject([{ last_updated_on: '2026-11-01' }])
      await loaded.loadNext(stating(day, '1'), { allowOlder: true })
      await expect(loaded.loadNext(stating('2026-12-01', '2'))).rejects.toThrow(`it was last updated on ${shown}`)
      await loaded.loadNext(stating(undefined, '2'))
      await loaded.loadNext(stating(day, '2.1'))
    },
  )

  it('refuses an older day however it is written', async () => {
    await using loaded = await createLoaded(buildFile())
    for (const day of ['10/1/2026', '20261001', 20261001, '2026-10-01T23:00:00-05:00', '2026-10-1', ' 2026-10-01 '])
      await expect(loaded.loadNext(buildFile({ last_updated_on: day, version: '1' }))).rejects.toThrow(older)
  })

  it('accepts any day if the active files state none, or nothing is active', async () => {
    await using loaded = await createLoaded(buildFile({ last_updated_on: null }))
    await loaded.loadNext(buildFile())
    await removeFeeSchedule(gold, depsOf(loaded))
    await loaded.loadNext(buildFile({ last_updated_on: '2026-10-01' }))
    expect(await loaded.readRates(gold)).toMatchObject([{ last_updated_on: '2026-10-01' }])
  })

  it('compares the newest of several files', async () => {
    await using loaded = await createLoaded(buildFile())
    const files = [
      await loaded.write('a.json', buildFile({ last_updated_on: '2026-10-02' })),
      await loaded.write('b.json', buildFile({ last_updated_on: '2026-10-01' })),
    ]
    await expect(loaded.load({ files })).rejects.toThrow('2026-11-01, and its files on 2026-10-02')
    await loaded.write('b.json', buildFile({ last_updated_on: '2026-11-02' }))
    await loaded.load({ files })
    expect(loaded.listNames()).toMatchObject([{ state: { lastUpdatedOn: '2026-11-02' } }])
  })

  it('adds older files to newer ones, but does not let them take their place', async () => {
    await using loaded = await createLoaded(buildFile())
    const october = buildFile({ last_updated_on: '2026-10-01', version: '1' })
    await loaded.load({ files: [await loaded.write('b.json', october)], add: true })
    expect(await loaded.readRates(gold)).toHaveLength(2)
    await loaded.loadNext(buildFile({ last_updated_on: '2026-10-31' }), { add: true, allowOlder: true })
    await expect(loaded.loadNext(october, { add: true })).rejects.toThrow('2026-10-31, and its files on 2026-10-01')
  })

  it('leaves out only its own plan, and what else is wrong with that is told as well', async () => {
    await using loaded = await createLoaded({ ...fileOf({}), last_updated_on: '2026-11-01' })
    const files = [
      await loaded.write('a.json', { ...fileOf({ codes: 1 }), last_updated_on: '2026-10-01' }),
      await loaded.write('b.json', buildFile({ plan_name: 'Silver', last_updated_on: '2026-10-01' })),
    ]
    const { leftOut, switched } = await loaded.load({ files })
    expect(leftOut).toMatchObject([{ plan: gold, isKept: true }])
    expect(leftOut[0]?.reason).toContain(older)
    expect(leftOut[0]?.reason).toContain('; it has 16 rates now and would have 4')
    expect(switched.map(({ plan }) => plan)).toContain('Silver')
  })

  it('lets a rollback bring an older publication back', async () => {
    await using loaded = await createLoaded(buildFile({ last_updated_on: '2026-10-01' }))
    await loaded.loadNext(buildFile())
    await rollBackFeeSchedule(gold, depsOf(loaded))
    expect(await loaded.readRates(gold)).toMatchObject([{ last_updated_on: '2026-10-01' }])
  })
})

describe('a load that is overtaken by another one', () => {
  const refusals: readonly (readonly [what: string, other: object, overtaken: object, reason: string])[] = [
    [
      'of a newer publication',
      buildFile({ last_updated_on: '2026-11-30' }),
      buildFile({ version: '1' }),
      'it was last updated on 2026-11-30, and its files on 2026-11-01',
    ],
    ['of far more rates', fileOf({ codes: 16 }), fileOf({ codes: 2 }), 'it has 64 rates now and would have 8'],
  ]

  /** Does something before the load's switch reads the catalogue. */
  const beforeSwitch = (warehouse: TestWarehouse, act: () => Promise<unknown>, files: readonly string[]) =>
    warehouse.load({ files }, { records: { ...warehouse.records, noteSwitching: onFirst(act) } })

  /** Does something after the load's switch has read the catalogue, before it writes. */
  const beforeWrite = (warehouse: TestWarehouse, act: () => Promise<unknown>, files: readonly string[]) => {
    warehouse.catalogue.beforeReplace = onFirst(act)
    return warehouse.load({ files })
  }

  const onFirst = (act: () => Promise<unknown>) => {
    let calls = 0
    return async () => void (calls++ === 0 && (await act()))
  }

  it.each(
    refusals.flatMap(([what, other, overtaken, reason]) => [
      [what, 'before this one reads the catalogue', { loadOvertaken: beforeSwitch, other, overtaken, reason }] as const,
      [what, 'before this one writes', { loadOvertaken: beforeWrite, other, overtaken, reason }] as const,
    ]),
  )('refuses to replace one %s, if that switches %s', async (_what, _when, refusal) => {
    const { loadOvertaken, other, overtaken, reason } = refusal
    await using loaded = await createLoaded(buildFile({ last_updated_on: '2026-10-01' }))
    const path = await loaded.write('b.json', overtaken)
    await expect(loadOvertaken(loaded, () => loaded.loadNext(other), [path])).rejects.toThrow(reason)
    expect((await loaded.readRates(gold)).map((row) => row['source_file'])).not.toContain('b.json')
  })
})

describe('a fee schedule without any rate', () => {
  it.each([
    ['on the first load', false],
    ['even with --replace', true],
  ])('cannot be loaded, %s', async (_title, replace) => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('a.json', buildFile({ in_network: [] }))]
    await expect(warehouse.load({ files, replace })).rejects.toThrow('its files have no rates')
    expect(warehouse.catalogue.entries.size).toBe(0)
  })
})

describe('a plan that vanishes from its table of contents', () => {
  const plans = ['Gold', 'Silver', 'Bronze'] as const
  const createMonth = async () => {
    const warehouse = await createTestWarehouse()
    await warehouse.write('a.json', fileOf({}))
    return {
      ...warehouse,
      async loadPlans(names: readonly string[], options: Partial<LoadRequest> = {}, name = 'toc.json') {
        const listed = names.map((plan) => ({ plans: [buildPlan(plan)], files: ['https://a.example/a.json'] }))
        const toc = await warehouse.write(name, buildTableOfContents(...listed))
        return warehouse.load({ files: [], toc, ...options })
      },
      async findActive() {
        const found = await Promise.all(plans.map((plan) => warehouse.catalogue.find([{ payer: gold.payer, plan }])))
        return found.flat().flatMap(({ plan, state }) => (state.status === 'active' ? [plan] : []))
      },
    }
  }

  it('removes the plan, whatever the name of the table of contents', async () => {
    await using month = await createMonth()
    await month.loadPlans(plans)
    const { removed } = await month.loadPlans(['Gold', 'Bronze'], {}, '2026-12-01_index.json')
    expect(removed).toMatchObject([{ payer: gold.payer, plan: expect.stringContaining('Silver') }])
    expect(await month.findActive()).toEqual(['Gold', 'Bronze'])
  })

  it('keeps the plan with --keep-missing or --plan, or if an entry cannot be read', async () => {
    await using month = await createMonth()
    await month.loadPlans(plans)
    await month.loadPlans(['Gold', 'Bronze'], { keepMissing: true })
    await month.loadPlans(['Gold', 'Bronze'], { plan: 'Gold' })
    const unreadable = { plans: [buildPlan(null)], files: [] }
    const entries = ['Gold', 'Bronze'].map((plan) => ({
      plans: [buildPlan(plan)],
      files: ['https://a.example/a.json'],
    }))
    const toc = await month.write('toc.json', buildTableOfContents(...entries, unreadable))
    await month.load({ files: [], toc })
    expect(await month.findActive()).toEqual([...plans])
  })

  it('keeps the plan if it is listed under a quarantined name', async () => {
    await using month = await createMonth()
    await month.loadPlans(plans)
    const { leftOut } = await month.loadPlans(['Gold', 'Bronze', '\u0001Silver'])
    expect(leftOut).toMatchObject([{ isKept: true }])
    expect(await month.findActive()).toEqual([...plans])
  })

  it('keeps the plan if it belongs to another table of contents of the payer', async () => {
    await using month = await createMonth()
    await month.loadPlans(['Gold', 'Silver'])
    await month.loadPlans(['Bronze'], {}, 'other.json')
    expect(await month.findActive()).toEqual([...plans])
    await expect(month.loadPlans(['Bronze', 'Tin', 'Gold'], { maxShrink: 0.4 })).resolves.toMatchObject({ removed: [] })
  })

  it('makes the load fail if most others vanish too', async () => {
    await using month = await createMonth()
    await month.loadPlans(plans)
    await expect(month.loadPlans(['Gold'])).rejects.toThrow('toc.json: lists 1 of the 3 plans that it listed before')
    expect(await month.findActive()).toEqual([...plans])
  })
})
