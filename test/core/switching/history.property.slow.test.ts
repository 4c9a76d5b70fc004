import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveFeeSchedules } from '../../../core/catalogue/resolving/resolve-fee-schedules.ts'
import { loadedRates } from '../../../core/rates/loaded-rates.ts'
import { namePlansOfIds } from '../../../core/search/plans-of-ids.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import { isoDay } from '../../../core/time.ts'
import { openSwitching, payer } from './open-switching.ts'

type Switching = ReturnType<typeof openSwitching>

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

/** Formats the contents that searches of every name and plan id read. */
async function read(switching: Switching, asOf?: string) {
  const day = asOf === undefined ? {} : { asOf }
  const ofNames = names.map(async (plan) => {
    const found = await resolveFeeSchedules(switching, { feeSchedules: [{ payer, plan }], ...day })
    return 'failure' in found ? found.failure.word : found.contents.join()
  })
  const ofIds = ids.map(async (id) => {
    const { request } = await namePlansOfIds(switching, { feeSchedules: [], planIds: [id], ...day }, loadedRates)
    return request.feeSchedules.map(({ plan }) => plan).join()
  })
  return { names: await Promise.all(ofNames), ids: await Promise.all(ofIds) }
}

async function apply(each: Change, deps: Switching): Promise<void> {
  if (each.kind === 'clean') await cleanWarehouse(deps, false, each.months).catch(ignoreRefusal)
  else if (each.kind === 'remove') await removeFeeSchedule({ payer, plan: each.name }, deps).catch(ignoreRefusal)
  else if (each.kind === 'rollback') await rollBackFeeSchedule({ payer, plan: each.name }, deps).catch(ignoreRefusal)
  else {
    const loaded = each.kind === 'load' ? [each.id] : ids
    const report = await deps.load(...loaded.map((planId) => ({ plan: 'PPO', planId, files: [each.source] })))
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
        const switching = openSwitching()
        const { now, contents, warehouse } = switching
        const start = isoDay(now())
        /** Contents that searches read after the last change of a day. */
        const days = new Map<string, Awaited<ReturnType<typeof read>>>()
        const kept = { months: Number.NaN, former: '', at: 0 }
        const firstKept = () => {
          const back = new Date(now())
          back.setUTCMonth(back.getUTCMonth() - (kept.months || 0), 1)
          const lastDay = new Date(Date.UTC(back.getUTCFullYear(), back.getUTCMonth() + 1, 0)).getUTCDate()
          back.setUTCDate(Math.min(now().getUTCDate(), lastDay))
          return Number.isNaN(kept.months) || isoDay(back) < kept.former ? kept.former : isoDay(back)
        }
        for (const [hours, each] of changes) {
          switching.wait(hours)
          await apply(each, switching)
          const at = now().getTime()
          if (each.kind === 'clean' && at - kept.at > 86_400_000 && each.months !== kept.months)
            Object.assign(kept, { months: each.months, former: firstKept(), at })
          days.set(isoDay(now()), await read(switching))
          const current = days.get(isoDay(now()))
          let expected: typeof current = { names: names.map(() => 'unsupported_fee_schedule'), ids: ids.map(() => '') }
          for (let day = start; day < isoDay(now()); day = isoDay(new Date(Date.parse(day) + 86_400_000))) {
            expected = days.get(day) ?? expected
            // Most days are like the one before.
            if (!days.has(day) && !days.has(isoDay(new Date(Date.parse(day) + 86_400_000)))) continue
            const isKept = day >= firstKept()
            checked[isKept ? 'kept' : 'notKept'] += 1
            if (isKept && expected.names.join() !== current?.names.join()) checked.replaced += 1
            const found = await read(switching, day)
            if (isKept) expect({ day, ...found }).toEqual({ day, ...expected })
            else expect(found.names).toEqual(names.map(() => 'not_kept'))
          }
          const stored = (await warehouse.list()).map(({ id }) => id)
          for (const { contentId, sources } of contents.contents.values()) {
            expect(stored).toContain(contentId)
            expect(await contents.readSources(sources.map(({ sourceId }) => sourceId))).toHaveLength(1)
          }
        }
      }),
      { numRuns: 25 },
    )
    expect(Math.min(...Object.values(checked))).toBeGreaterThan(100)
  }, 240_000)
})
