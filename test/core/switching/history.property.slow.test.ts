import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import { resolveFeeSchedules } from '../../../core/catalogue/resolve-fee-schedules.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { isoDay } from '../../../core/time.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { newSource } from './catalogue-model.ts'

const payer = 'Blue Harbor Health'
const ids = ['111111111', '222222222'] as const
const names = ['PPO', ...ids.map((id) => `PPO (EIN ${id})`)]

const change = fc.oneof(
  fc.record({
    kind: fc.constant('load' as const),
    id: fc.constantFrom(...ids),
    source: fc.constantFrom('s0', 's1', 's2'),
  }),
  // A month of both plan ids, from one file.
  fc.record({ kind: fc.constant('month' as const), source: fc.constantFrom('s0', 's1', 's2') }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom(...names) }),
  fc.record({ kind: fc.constant('rollback' as const), name: fc.constantFrom(...names) }),
  fc.record({ kind: fc.constant('clean' as const), months: fc.constantFrom(0, 1, 6, 24) }),
)
/** Changes with the hours that pass before each: some on the same day, and twenty months together. */
const history = fc.array(
  fc.tuple(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 24, max: 1000 })), change),
  {
    minLength: 25,
    maxLength: 40,
  },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** What searches of every name and plan id read, as text. */
async function read(warehouse: TestWarehouse, now: () => Date, asOf?: string) {
  const deps = { ...warehouse, now }
  const day = asOf === undefined ? {} : { asOf }
  const ofNames = names.map(async (plan) => {
    const found = await resolveFeeSchedules(deps, { feeSchedules: [{ payer, plan }], ...day }, false)
    return 'failure' in found ? found.failure.word : found.contents.join()
  })
  const ofIds = ids.map(async (id) => {
    const { request } = await namePlansOfIds(deps, { feeSchedules: [], planIds: [id], ...day }, false)
    return request.feeSchedules.map(({ plan }) => plan).join()
  })
  return { names: await Promise.all(ofNames), ids: await Promise.all(ofIds) }
}

async function apply(each: Change, warehouse: TestWarehouse, now: () => Date, newId: () => string): Promise<void> {
  const deps = { ...warehouse, warehouse: warehouse.folder, now, newId }
  if (each.kind === 'clean') await cleanWarehouse(deps, false, each.months).catch(ignoreRefusal)
  else if (each.kind === 'remove') await removeFeeSchedule({ payer, plan: each.name }, deps).catch(ignoreRefusal)
  else if (each.kind === 'rollback') await rollBackFeeSchedule({ payer, plan: each.name }, deps).catch(ignoreRefusal)
  else {
    const source = { ...newSource(each.source), name: each.source, identity: each.source }
    await warehouse.contents.putSources([source], now())
    const loaded = each.kind === 'load' ? [each.id] : ids
    const shared = { payer, plan: 'PPO', sources: [source], partial: false }
    const plans = loaded.map((id) => ({ ...shared, planId: readPlanId(id, 'EIN') }))
    const report = await switchFeeSchedules({ loadId: newId(), plans }, deps)
    expect(report.lost).toEqual([])
  }
}

/** Nothing to remove or to go back to, or other months to keep within a day. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && ['FeeScheduleUnknown', 'KeptDaysNew'].includes(error.name))) throw error
}

describe('a search as of a day', () => {
  it('reads what searches read at the end of that day, through months of loads, rollbacks, removals and cleans', async () => {
    const checked = { kept: 0, notKept: 0, replaced: 0 }
    await fc.assert(
      fc.asyncProperty(history, async (changes) => {
        let at = Date.UTC(2026, 0, 1, 12)
        let count = 0
        const now = () => new Date(at)
        await using warehouse = await createTestWarehouse(undefined, now)
        const start = isoDay(now())
        /** What searches read after the last change of a day. */
        const days = new Map<string, Awaited<ReturnType<typeof read>>>()
        const kept = { months: Number.NaN, former: '', at: 0 }
        const firstKept = () => {
          const back = new Date(at)
          back.setUTCMonth(back.getUTCMonth() - (kept.months || 0), 1)
          const lastDay = new Date(Date.UTC(back.getUTCFullYear(), back.getUTCMonth() + 1, 0)).getUTCDate()
          back.setUTCDate(Math.min(new Date(at).getUTCDate(), lastDay))
          return Number.isNaN(kept.months) || isoDay(back) < kept.former ? kept.former : isoDay(back)
        }
        for (const [hours, each] of changes) {
          at += hours * 3_600_000
          await apply(each, warehouse, now, () => `id${count++}`)
          if (each.kind === 'clean' && at - kept.at > 86_400_000 && each.months !== kept.months)
            Object.assign(kept, { months: each.months, former: firstKept(), at })
          days.set(isoDay(now()), await read(warehouse, now))
          const current = days.get(isoDay(now()))
          let expected: typeof current = { names: names.map(() => 'unsupported_fee_schedule'), ids: ids.map(() => '') }
          for (let day = start; day < isoDay(now()); day = isoDay(new Date(Date.parse(day) + 86_400_000))) {
            expected = days.get(day) ?? expected
            // Most days are like the one before.
            if (!days.has(day) && !days.has(isoDay(new Date(Date.parse(day) + 86_400_000)))) continue
            const isKept = day >= firstKept()
            checked[isKept ? 'kept' : 'notKept'] += 1
            if (isKept && expected.names.join() !== current?.names.join()) checked.replaced += 1
            const found = await read(warehouse, now, day)
            if (isKept) expect({ day, ...found }).toEqual({ day, ...expected })
            else expect(found.names).toEqual(names.map(() => 'not_kept'))
          }
          const files = (await warehouse.listFiles()).join()
          for (const content of warehouse.contents.contents.values()) {
            expect(files).toContain(content.contentId)
            expect(await warehouse.contents.readSources(content.sources.map(({ sourceId }) => sourceId))).toHaveLength(
              1,
            )
          }
        }
      }),
      { numRuns: 15 },
    )
    expect(Math.min(...Object.values(checked))).toBeGreaterThan(100)
  }, 240_000)
})
